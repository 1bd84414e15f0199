//! Tests of whole designs, without a device: what the planner composes of
//! what the strategies offer.

mod arguments;
mod arrays;
pub(super) mod cases;
mod cost;
mod coverage;
pub(super) mod host;
mod model;
mod refusals;
mod walks;

use super::{ColumnPass, RowPass, Strategy};

#[test]
fn names_round_trip() {
    for &strategy in Strategy::ALL {
        assert_eq!(strategy.name().parse(), Ok(strategy));
        assert_eq!(strategy.to_string(), strategy.name());
    }
    let mut names: Vec<String> = Vec::new();
    for strategy in Strategy::combinations() {
        names.push(strategy.to_string());
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
        assert_eq!(strategy.name(), "separable");
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), RowPass::ALL.len() * ColumnPass::ALL.len());
}

#[test]
fn separable_is_written_with_its_passes() {
    let strategy = Strategy::Separable {
        rows: RowPass::OnePair,
        columns: ColumnPass::Exchanged,
    };
    assert_eq!(strategy.to_string(), "separable:one_pair+exchanged");
    let labels = "separable:Horiz-Blazewicz2012-1+Vert-Laan2009";
    assert_eq!(labels.parse(), Ok(strategy));
    let plain = "separable:four_pairs+Vert-Proposed";
    assert_eq!(plain.parse(), Ok(Strategy::SEPARABLE));
    assert_eq!(Strategy::SEPARABLE.to_string(), "separable");
    assert!(Strategy::ALL.contains(&Strategy::SEPARABLE));
    assert_eq!(Strategy::from(RowPass::FourPairs), Strategy::SEPARABLE);
    assert_eq!(Strategy::from(ColumnPass::FourPairs), Strategy::SEPARABLE);
    let width = format!("{:>31}|", Strategy::from(RowPass::OnePair));
    assert_eq!(width, "  separable:one_pair+four_pairs|");
}

#[test]
fn what_is_no_strategy_is_refused_with_what_could_stand_there() {
    for (word, found, wanted) in [
        (
            "separable:",
            "strategy `separable:`",
            "separable:ROWS+COLUMNS",
        ),
        (
            "separable:one_pair",
            "strategy `separable:one_pair`",
            "separable:ROWS+COLUMNS",
        ),
        (
            "one_pair+exchanged",
            "strategy `one_pair+exchanged`",
            "vectors",
        ),
        (
            "vectors:one_pair+exchanged",
            "strategy `vectors:",
            "separable:ROWS+COLUMNS",
        ),
        (
            "separable:five_pairs+exchanged",
            "row pass `five_pairs`",
            "Horiz-Laan2009",
        ),
        (
            "separable:transposed+exchanged",
            "row pass `transposed`",
            "one_pair",
        ),
        (
            "separable:one_pair+one_pair",
            "column pass `one_pair`",
            "transposed",
        ),
        (
            "separable:one_pair+exchanged+x",
            "column pass `exchanged+x`",
            "Vert-Proposed",
        ),
    ] {
        let refused = word.parse::<Strategy>().unwrap_err().to_string();
        assert!(refused.contains(&format!("unknown {found}")), "{refused}");
        assert!(refused.contains(wanted), "{refused}");
    }
}
