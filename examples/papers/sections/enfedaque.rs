//! Enfedaque, Auli-Llinas, Moure 2015: Implementation of the DWT in a GPU through a
//! Register-based Strategy.

use super::super::common::check::RandomSample;
use super::super::conclude;
use super::super::figures::{Figure, PlotKind, Section, Table};
use super::super::session::{Session, Timed, many_random_samples, unless_refused};
use super::{publish, square};
use wavelift::{
    Bottleneck, ColumnPass, Direction, Engine, Exchange, Plan, Probe, Result, RowPass, SampleType,
    Strategy, Transform, Wavelet,
};

const CARD: &[&str] = &["GTX TITAN Black"];
/// All of Table VI.
const CARDS: &[&str] = &["GTX TITAN Black", "Tesla M2090", "GTX 680", "GTX 750 Ti"];
const MICROSECONDS: f64 = 1e6;
const LEVELS: u32 = 5;
/// Rows of the paper's blocks.
const BLOCK_ROWS: usize = 20;
const PROPOSED: &str = "register_block";
/// The paper's [24], van der Laan et al.
const EXCHANGED: &str = "exchanged";
const THROUGH_LOCAL: &str = "register_block, local memory";
const SLIDING: Strategy = Strategy::Separable {
    rows: RowPass::Exchanged,
    columns: ColumnPass::Exchanged,
};

/// A wavelet as the paper has it, and what it publishes for sides of 1024, 2048, 4096 and 8192.
struct Published {
    name: &'static str,
    wavelet: Wavelet,
    sample: SampleType,
    /// Table VI, microseconds on each of the cards.
    times: [[f64; 4]; 4],
    /// Table IV, thousands, by the proposed method, by [24], and of instructions by the proposed
    /// one through local memory.
    instructions: [[f64; 3]; 4],
    accesses: [[f64; 2]; 4],
}

const BOTH: [Published; 2] = [
    Published {
        name: "5/3",
        wavelet: Wavelet::CDF_5_3,
        sample: SampleType::I16,
        times: [
            [55.0, 100.0, 70.0, 125.0],
            [139.0, 278.0, 204.0, 370.0],
            [467.0, 983.0, 698.0, 1305.0],
            [1741.0, 3782.0, 3038.0, 5021.0],
        ],
        instructions: [
            [982.0, 3554.0, 1618.0],
            [3804.0, 12350.0, 6224.0],
            [14926.0, 44541.0, 24357.0],
            [59083.0, 167320.0, 96462.0],
        ],
        accesses: [
            [208.0, 348.0],
            [822.0, 1395.0],
            [3287.0, 5587.0],
            [13230.0, 22360.0],
        ],
    },
    Published {
        name: "9/7",
        wavelet: Wavelet::CDF_9_7,
        sample: SampleType::F32,
        times: [
            [79.0, 176.0, 97.0, 171.0],
            [194.0, 538.0, 282.0, 540.0],
            [652.0, 1997.0, 1024.0, 1990.0],
            [2490.0, 7811.0, 3960.0, 7686.0],
        ],
        instructions: [
            [2026.0, 5370.0, 3743.0],
            [7847.0, 18921.0, 14456.0],
            [31200.0, 69266.0, 57513.0],
            [123963.0, 262917.0, 228583.0],
        ],
        accesses: [
            [210.0, 366.0],
            [825.0, 1396.0],
            [3313.0, 5588.0],
            [13458.0, 22514.0],
        ],
    },
];

impl Published {
    fn transform(&self, side: usize) -> Transform {
        Transform::new(self.wavelet.clone(), [side, side]).levels(LEVELS)
    }

    fn time(
        &self,
        engine: &Engine,
        session: &Session,
        section: &mut Section,
        side: usize,
        direction: Direction,
        strategy: Option<Strategy>,
    ) -> Result<Option<Timed>> {
        let transform = self.transform(side);
        match self.sample {
            SampleType::I16 => {
                session.time_on::<i16>(engine, section, &transform, direction, strategy)
            }
            _ => session.time_on::<f32>(engine, section, &transform, direction, strategy),
        }
    }
}

fn sides(session: &Session) -> &'static [usize] {
    session.cases(&[512, 1024], &[1024, 2048, 4096, 8192, 10240])
}

/// Which of the published sides this is.
fn place(side: usize) -> Option<usize> {
    [1024, 2048, 4096, 8192].iter().position(|&one| one == side)
}

/// An engine whose blocks have so many rows.
fn with_blocks(engine: &Engine, rows: usize) -> Result<Engine> {
    let name = &engine.device().info().name;
    let line = |sample| format!("{name} | register_block | {sample} | BLOCK_ROWS={rows}\n");
    engine.with_tuning(&(line("i16") + &line("f32")))
}

pub fn sizes(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Five levels over sizes (Enfedaque et al., Fig. 7 and Table VI)",
        "5/3 in `i16`, 9/7 in `f32` (the paper stores that as 16 bits). `register_block` has the paper's blocks of 64 x 20; \
         `exchanged` is the method of van der Laan et al., the paper's [24]; `auto` is what the planner composes.",
    );
    let engine = with_blocks(&session.engine, BLOCK_ROWS)?;
    for line in &BOTH {
        let mut table = Table::new(
            &format!("CDF {}, forward and inverse", line.name),
            "us",
            CARDS,
        );
        for &side in sides(session) {
            let (work, pixels) = (square(side), (side * side) as f64);
            let published = place(side).map(|place| line.times[place]);
            for (direction, suffix) in [(Direction::Forward, ""), (Direction::Inverse, ", inverse")]
            {
                let methods = [
                    (PROPOSED, Some(Strategy::RegisterBlock), published),
                    (EXCHANGED, Some(SLIDING), None),
                    ("auto", None, None),
                ];
                for (method, strategy, published) in methods {
                    let method = format!("{method}{suffix}");
                    let timed =
                        line.time(&engine, session, &mut section, side, direction, strategy)?;
                    let figure =
                        timed.map(|timed| timed.figure(&work, &method, pixels, MICROSECONDS));
                    let published = published.filter(|_| suffix.is_empty());
                    let published = published.into_iter().flatten();
                    publish(&mut table.figures, figure, &work, &method, published);
                }
            }
        }
        let name = line.name;
        section.conclusions.extend([
            conclude::takes_longer(
                &table,
                [EXCHANGED, PROPOSED],
                3.5,
                &format!("blocks in registers are 3.5 times as fast as windows in local memory or more ({name})"),
            ),
            conclude::takes_longer(
                &table,
                [PROPOSED, "auto"],
                1.0,
                &format!("what came after the paper is no slower than its blocks ({name})"),
            ),
        ]);
        let file = format!("enfedaque-sizes-{}", name.replace('/', ""));
        section.plotted(table, &file, "pixels", PlotKind::Lines);
    }
    Ok(section)
}

pub fn block_heights(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Heights of blocks (Enfedaque et al., Fig. 5)",
        "Five levels of 5/3 in `i16` by `register_block`, rows of a block with its halo. The paper draws this without numbers, \
         and finds 12 to 26 rows the best.",
    );
    let heights: &[usize] = session.cases(&[14, 20, 40], &[10, 14, 20, 26, 30, 40, 60]);
    let side = session.cases(1024, 4096);
    let line = &BOTH[0];
    let mut table = Table::new("CDF 5/3, forward", "us", CARD);
    let mut best: Option<(f64, usize)> = None;
    for &height in heights {
        let engine = with_blocks(&session.engine, height)?;
        let strategy = Some(Strategy::RegisterBlock);
        let timed = line.time(
            &engine,
            session,
            &mut section,
            side,
            Direction::Forward,
            strategy,
        )?;
        let Some(timed) = timed else { continue };
        if best.is_none_or(|(least, _)| timed.seconds < least) {
            best = Some((timed.seconds, height));
        }
        let work = format!("{height} rows");
        table
            .figures
            .push(timed.figure(&work, &square(side), height as f64, MICROSECONDS));
    }
    if let Some((_, height)) = best {
        let holds = if (12..=26).contains(&height) {
            "Holds"
        } else {
            "Does not hold"
        };
        section.conclusions.push(format!(
            "{holds} here: blocks of 12 to 26 rows are the best. Of those tried, {height} rows are."
        ));
    }
    section.plotted(
        table,
        "enfedaque-heights",
        "rows of a block",
        PlotKind::Lines,
    );
    Ok(section)
}

pub fn exchange(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Exchange between registers against local memory (Enfedaque et al., Fig. 6)",
        "Five levels by `register_block`, neighbours' values by the device's exchange among a sub-group (`khr`: OpenCL's own \
         extension, `ptx`: NVIDIA's instruction), or through local memory with barriers. The paper draws this without numbers, and finds exchange about 20 % faster for 9/7.",
    );
    let info = session.engine.device().info();
    if info.exchange == Exchange::None {
        section
            .note("this device has no exchange among sub-groups, so there is nothing to compare");
        return Ok(section);
    }
    let alone = Engine::with_profiling(&session.engine.device().without_exchange())?;
    let engines = [
        (
            info.exchange.name(),
            with_blocks(&session.engine, BLOCK_ROWS)?,
        ),
        ("local memory", with_blocks(&alone, BLOCK_ROWS)?),
    ];
    for line in &BOTH {
        let mut table = Table::new(&format!("CDF {}, forward", line.name), "us", CARD);
        for &side in sides(session) {
            for (method, engine) in &engines {
                let strategy = Some(Strategy::RegisterBlock);
                let timed = line.time(
                    engine,
                    session,
                    &mut section,
                    side,
                    Direction::Forward,
                    strategy,
                )?;
                let figure = timed.map(|timed| {
                    timed.figure(&square(side), method, (side * side) as f64, MICROSECONDS)
                });
                table.figures.extend(figure);
            }
        }
        let claim = format!(
            "exchange between registers is faster than local memory, by a fifth or so ({})",
            line.name
        );
        section.conclusions.push(conclude::takes_longer(
            &table,
            ["local memory", engines[0].0],
            1.1,
            &claim,
        ));
        let file = format!("enfedaque-exchange-{}", line.name.replace('/', ""));
        section.plotted(table, &file, "pixels", PlotKind::Lines);
    }
    Ok(section)
}

pub fn accesses(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Instructions and accesses to memory (Enfedaque et al., Table IV)",
        "The paper counts instructions and accesses of warps with a profiler, in thousands; here it is what the plans' cost model \
         counts for five levels, in millions of operations and of samples moved. Only the ratios compare. Through \
         local memory the paper's blocks execute more, which the cost model does not count.",
    );
    let engine = with_blocks(&session.engine, BLOCK_ROWS)?;
    let mut tables = [
        Table::new(
            "Operations",
            "millions; published: thousands of instructions",
            CARD,
        ),
        Table::new(
            "Accesses",
            "millions of samples; published: thousands",
            CARD,
        ),
    ];
    for line in &BOTH {
        for &side in sides(session) {
            let place = place(side);
            let work = format!("CDF {}, {}", line.name, square(side));
            for (number, (method, strategy)) in
                [(PROPOSED, Strategy::RegisterBlock), (EXCHANGED, SLIDING)]
                    .into_iter()
                    .enumerate()
            {
                let transform = line.transform(side);
                let cost = match line.sample {
                    SampleType::I16 => cost::<i16>(&engine, &transform, strategy),
                    _ => cost::<f32>(&engine, &transform, strategy),
                };
                let Some(cost) = unless_refused(&mut section, &format!("{method} {side}"), cost)?
                else {
                    continue;
                };
                let published = [
                    place.map(|place| line.instructions[place][number]),
                    place.map(|place| line.accesses[place][number]),
                ];
                for (table, (value, published)) in
                    tables.iter_mut().zip(cost.into_iter().zip(published))
                {
                    table.figures.push(Figure {
                        work: work.clone(),
                        method: method.to_owned(),
                        value: Some(value / 1e6),
                        published: published.into_iter().collect(),
                        ..Figure::default()
                    });
                }
            }
            let through_local = place.map(|place| line.instructions[place][2]);
            let figures = &mut tables[0].figures;
            publish(figures, None, &work, THROUGH_LOCAL, through_local);
        }
    }
    let claims = [
        (
            2.0,
            "windows in local memory execute at least twice as much",
        ),
        (
            1.5,
            "they move at least 1.5 times as much to and from memory",
        ),
    ];
    for (table, (least, claim)) in tables.iter().zip(claims) {
        section.conclusions.push(conclude::takes_longer(
            table,
            [EXCHANGED, PROPOSED],
            least,
            claim,
        ));
    }
    section.tables.extend(tables);
    Ok(section)
}

/// Operations, and samples that are moved.
fn cost<T: RandomSample>(
    engine: &Engine,
    transform: &Transform,
    strategy: Strategy,
) -> Result<[f64; 2]> {
    let plan: Plan<T> = engine.plan_with(transform, strategy)?;
    let cost = plan.cost(Direction::Forward);
    let samples = (cost.bytes_read + cost.bytes_written) as f64 / T::TYPE.size() as f64;
    Ok([cost.operations as f64, samples])
}

pub fn bottlenecks(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Bottlenecks (Enfedaque et al., Fig. 8)",
        "Five levels by `register_block`, whole, with its accesses to memory alone and with its arithmetic alone; the halves give \
         no coefficients. Each half's share is of what it does. The paper draws this without numbers.",
    );
    let engine = with_blocks(&session.engine, BLOCK_ROWS)?;
    for line in &BOTH {
        let mut table = Table::new(&format!("CDF {}, forward", line.name), "us", CARD);
        for &side in sides(session) {
            let (work, pixels) = (square(side), (side * side) as f64);
            for (method, half) in [
                ("memory", Bottleneck::Memory),
                ("arithmetic", Bottleneck::Arithmetic),
            ] {
                let transform = line.transform(side);
                let timed = match line.sample {
                    SampleType::I16 => half_of::<i16>(&engine, session, &transform, half),
                    _ => half_of::<f32>(&engine, session, &transform, half),
                };
                let timed = unless_refused(&mut section, &format!("{method} alone"), timed)?;
                let Some(timed) = timed else { continue };
                let mut figure = timed.figure(&work, method, pixels, MICROSECONDS);
                // Of the whole transform's cost, each half does one half.
                match half {
                    Bottleneck::Memory => figure.of_arithmetic = None,
                    Bottleneck::Arithmetic => figure.of_copy = None,
                }
                table.figures.push(figure);
            }
            let strategy = Some(Strategy::RegisterBlock);
            let timed = line.time(
                &engine,
                session,
                &mut section,
                side,
                Direction::Forward,
                strategy,
            )?;
            let figure = timed.map(|timed| timed.figure(&work, "whole", pixels, MICROSECONDS));
            table.figures.extend(figure);
        }
        let name = line.name;
        let hidden = |work: &&str| {
            let [memory, arithmetic, whole] =
                ["memory", "arithmetic", "whole"].map(|method| table.value(work, method));
            Some((memory? + arithmetic?) / whole?)
        };
        let hidden = table.works().iter().filter_map(hidden).collect();
        section.conclusions.extend([
            conclude::takes_longer(
                &table,
                ["memory", "arithmetic"],
                1.0,
                &format!("arithmetic takes less than access to memory ({name})"),
            ),
            conclude::at_least(
                hidden,
                1.25,
                &format!(
                    "the two overlap: together they take clearly less than their sum ({name})"
                ),
                "Sum over whole",
            ),
        ]);
        let file = format!("enfedaque-bottlenecks-{}", name.replace('/', ""));
        section.plotted(table, &file, "pixels", PlotKind::Lines);
    }
    Ok(section)
}

fn half_of<T: RandomSample>(
    engine: &Engine,
    session: &Session,
    transform: &Transform,
    half: Bottleneck,
) -> Result<Timed> {
    session
        .bar
        .set_message(format!("{half:?} of {transform:?}"));
    let samples = many_random_samples::<T>(transform.len());
    let mut probe = Probe::new(engine, transform, &samples, half)?;
    let cost = probe.cost();
    session.time_runs::<T>(transform.len(), cost, || probe.enqueue())
}
