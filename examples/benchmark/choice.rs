//! The strategy that a row asks for, and how it is measured.

use crate::common::case::{Case, Verdict};
use crate::common::check::RandomSample;
use crate::common::cli;
use crate::common::runnable::Runnable;
use crate::common::timing::Effort;
use std::str::FromStr;
use wavelift::{Cost, Engine, Strategy};

/// The strategy that a row asks for.
#[derive(Clone, Copy)]
pub enum StrategyChoice {
    Auto,
    Fixed(Strategy),
    InPlace,
}

const IN_PLACE: &str = "in_place";

impl StrategyChoice {
    pub fn name(self) -> String {
        match self {
            StrategyChoice::Auto => "auto".to_owned(),
            StrategyChoice::Fixed(strategy) => strategy.to_string(),
            StrategyChoice::InPlace => IN_PLACE.to_owned(),
        }
    }

    /// What ran, what it costs, and what came of it.
    pub fn measure<T: RandomSample>(
        self,
        engine: &Engine,
        case: &Case<T>,
        effort: Effort,
    ) -> wavelift::Result<(String, Cost, Verdict)> {
        let transform = &case.transform;
        let plan = match self {
            StrategyChoice::Auto => engine.plan(transform)?,
            StrategyChoice::Fixed(strategy) => engine.plan_with(transform, strategy)?,
            StrategyChoice::InPlace => {
                let plan = engine.plan_in_place(transform)?;
                let verdict = case.measure(engine, Runnable::InPlace(&plan), effort)?;
                return Ok((self.name(), plan.cost(case.direction), verdict));
            }
        };
        let verdict = case.measure(engine, Runnable::Between(&plan), effort)?;
        let strategy = plan.strategy().to_string();
        Ok((strategy, plan.cost(case.direction), verdict))
    }
}

impl FromStr for StrategyChoice {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "auto" => Ok(StrategyChoice::Auto),
            IN_PLACE => Ok(StrategyChoice::InPlace),
            word => cli::strategy_or("auto, in_place", word).map(StrategyChoice::Fixed),
        }
    }
}
