//! Shahbahrami, Juurlink, Vassiliadis 2008: Implementing the 2-D Wavelet Transform on SIMD-Enhanced
//! General-Purpose Processors.

use super::super::common::check::RandomSample;
use super::super::conclude;
use super::super::figures::{Figure, PlotKind, Section, Table};
use super::super::session::{Session, Timed, many_random_samples, random_array, unless_refused};
use wavelift::{Cost, Direction, Filter, Filtering, Region, Result, Sample, Transform, Wavelet};

const CPU: &[&str] = &["Pentium 4"];

/// How many samples rows are further apart with the remedy: a line of a cache or more.
const FURTHER: usize = 32;

/// Columns over rows, with rows next to one another and further apart, by the library's own passes.
pub fn aliasing(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Aliasing of strides in the library's column passes (Shahbahrami et al., Fig. 1 and 5)",
        "One level of 9/7 in `f32` along columns over the same along rows, as the planner composes each: rows a power of two apart, \
         a little less, and, the remedy, a power of two plus 32 samples apart. The paper found columns up to 4.3 times as slow as \
         rows at powers of two on a Pentium 4, and factors from 1.41 (9/7) to 4.20 (5/3) by offsetting. First the passes \
         themselves, then columns over rows.",
    );
    let sizes: &[usize] = session.cases(&[512, 1024], &[256, 512, 1024, 2048, 4096]);
    let mut table = Table::new("Columns over rows, 9/7", "times", CPU);
    let mut passes = Table::new("Passes of 9/7", "ps per pixel", CPU);
    let (mut slower, mut remedied) = (Vec::new(), Vec::new());
    for &size in sizes {
        let work = format!("{size} x {size}");
        let mut columns = Vec::new();
        let cases = [
            ("power of two", size, 0),
            ("a little less", size - 24, 0),
            ("power of two, offset", size, FURTHER),
        ];
        for (method, side, further) in cases {
            let mut time = |axis: usize| -> Result<Option<f64>> {
                let timed = between_regions(session, side, axis, further);
                let Some(timed) = unless_refused(&mut section, method, timed)? else {
                    return Ok(None);
                };
                let pass = format!("{}, {method}", ["columns", "rows"][axis]);
                let scale = 1e12 / (side * side) as f64;
                passes
                    .figures
                    .push(timed.figure(&work, &pass, size as f64, scale));
                Ok(Some(timed.seconds))
            };
            let (Some(along), Some(down)) = (time(1)?, time(0)?) else {
                continue;
            };
            columns.push(down);
            table.figures.push(Figure {
                work: work.clone(),
                method: method.to_owned(),
                x: size as f64,
                value: Some(down / along),
                ..Figure::default()
            });
        }
        if let [power, less, offset] = columns[..] {
            let pixels = |side: usize| (side * side) as f64;
            slower.push(power / pixels(size) / (less / pixels(size - 24)));
            remedied.push(power / offset);
        }
    }
    section.conclusions.extend([
        conclude::at_least(
            slower,
            1.25,
            "columns are slower per sample where rows are a power of two apart",
            "Time per sample over that of a little less",
        ),
        conclude::at_least(
            remedied,
            1.25,
            "an offset makes column passes at powers of two faster",
            "Without over with offset",
        ),
    ]);
    section.tables.push(passes);
    section.plotted(table, "shahbahrami-aliasing", "rows", PlotKind::Lines);
    Ok(section)
}

/// Times a pass along one axis between regions whose rows are so many samples further apart.
fn between_regions(session: &Session, side: usize, axis: usize, further: usize) -> Result<Timed> {
    session.bar.set_message(format!(
        "axis {axis} of {side} x {side}, rows {further} further apart"
    ));
    let engine = &session.engine;
    let pitch = side + further;
    let region = Region::dense([side, pitch]).part(&[0..side, 0..side])?;
    let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).axes([axis]);
    let plan = engine.plan_regions::<f32>(&transform, &region, &region)?;
    let from = random_array::<f32>(engine, side * pitch)?;
    let mut to = engine.zeros::<f32>(side * pitch)?;
    let cost = plan.cost(Direction::Forward);
    session.time_runs::<f32>(side * side, cost, || {
        plan.enqueue_forward(from.view(&region)?, to.view_mut(&region)?)
    })
}

/// The paper's own loops in C, in one thread of a CPU.
pub fn filtering(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Aliasing of strides in plain loops (Shahbahrami et al., Fig. 1, 5 and 6)",
        "The paper's loops, by one thread: 5/3 lifted in `i16`, Daubechies 4 and 9/7 convolved in `f32`. `columns` over `rows` is its \
         Fig. 1, `columns` over `offset` its Fig. 5, and `offset` over `lookahead` its Fig. 6, each at its sizes with aliasing \
         (powers of two and 1280) and at others. Shares count each sample once each way, and the arithmetic of the filters. The \
         compiler makes vectors of a loop where it can: of columns, whose samples are next to one another, rather than of rows, \
         whose pairs are two apart, or of lookahead, which adds to results in parts; that can outweigh aliasing. The paper, \
         on a Pentium 4: columns up to 4.3 times as slow as rows; by offsetting 3.07 to 4.20 times as fast (5/3), 2.99 to 3.11 \
         (Daub-4) and 1.41 to 1.69 (9/7), with lookahead up to 1.99. Ratios are to the first method.",
    );
    if !session.is_cpu() {
        section.note("this device is no CPU: the loops are for one core, and are not run on it");
        return Ok(section);
    }
    let sizes: &[usize] = session.cases(
        &[512, 800],
        &[256, 400, 512, 800, 1024, 1280, 2048, 3000, 4096],
    );
    type Measured = (
        fn(&Session, &mut Section, &mut Table, &Loops, usize) -> Result<()>,
        Loops,
    );
    let transforms: [Measured; 3] = [
        (loops::<i16>, Loops::of("5/3", Wavelet::CDF_5_3, 8)),
        (loops::<f32>, Loops::of("Daub-4", Wavelet::DAUB_4, 14)),
        (loops::<f32>, Loops::of("9/7", Wavelet::CDF_9_7, 30)),
    ];
    for (measure, of) in transforms {
        let name = of.name;
        let mut table = Table::new(name, "ns per pixel", CPU);
        for &size in sizes {
            measure(session, &mut section, &mut table, &of, size)?;
        }
        // Those that alias, apart from those that do not.
        let [mut aliased, mut others] = [table.clone(), table.clone()];
        let alias = |work: &str| {
            sizes
                .iter()
                .any(|size| work == at(*size) && size % 256 == 0)
        };
        aliased.figures.retain(|figure| alias(&figure.work));
        others.figures.retain(|figure| !alias(&figure.work));
        section.conclusions.extend([
            conclude::takes_longer(&aliased, ["columns", "rows"], 1.4, &format!("columns are clearly slower than rows at sizes with aliasing ({name})")),
            conclude::takes_longer(&others, ["rows", "columns"], 0.7, &format!("at other sizes they are not, within 1.4 ({name})")),
            conclude::takes_longer(&aliased, ["columns", "offset"], 1.4, &format!("offsetting makes columns at least 1.4 times as fast at sizes with aliasing ({name})")),
        ]);
        if of.wavelet == Wavelet::CDF_9_7 {
            section.conclusions.push(conclude::takes_longer(
                &aliased,
                ["offset", "lookahead"],
                1.05,
                "lookahead adds to that (9/7)",
            ));
        }
        let file = format!("shahbahrami-{}", name.replace('/', "").to_lowercase());
        section.plotted(table, &file, "rows", PlotKind::Lines);
    }
    Ok(section)
}

fn at(size: usize) -> String {
    format!("{size} x {size}")
}

/// What the loops compute.
struct Loops {
    name: &'static str,
    wavelet: Wavelet,
    /// Operations per pair of samples: of 5/3 in integers those of both steps, of reals an addition
    /// less than a multiplication per tap of both filters.
    operations: u64,
}

impl Loops {
    fn of(name: &'static str, wavelet: Wavelet, operations: u64) -> Self {
        Loops {
            name,
            wavelet,
            operations,
        }
    }

    /// What any code for it costs at least: every sample is read once and stored once.
    fn cost<T: Sample>(&self, size: usize) -> Cost {
        let mut cost = Cost::default();
        cost.bytes_read = (size * size * T::TYPE.size()) as u64;
        cost.bytes_written = cost.bytes_read;
        cost.operations = self.operations * (size * size / 2) as u64;
        cost
    }
}

fn loops<T: RandomSample>(
    session: &Session,
    section: &mut Section,
    table: &mut Table,
    of: &Loops,
    size: usize,
) -> Result<()> {
    let Loops { name, wavelet, .. } = of;
    let pixels = (size * size) as f64;
    let filters = [
        ("rows", Filter::Rows),
        ("columns", Filter::Columns),
        ("offset", Filter::Offset),
        ("lookahead", Filter::Lookahead),
    ];
    for (method, filter) in filters {
        // The paper looks ahead with 9/7 alone: the others have no more rows than a cache has ways.
        if filter == Filter::Lookahead && *wavelet != Wavelet::CDF_9_7 {
            continue;
        }
        session.bar.set_message(format!("{name} {method} {size}"));
        let timed = || {
            let samples = many_random_samples::<T>(size * size);
            let mut filtering = Filtering::new(&session.engine, wavelet, size, filter, &samples)?;
            session.time_runs::<T>(size * size, of.cost::<T>(size), || filtering.enqueue())
        };
        let timed = unless_refused(section, &format!("{name} {method}"), timed())?;
        table
            .figures
            .extend(timed.map(|timed| timed.figure(&at(size), method, size as f64, 1e9 / pixels)));
    }
    Ok(())
}
