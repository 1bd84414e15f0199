//! The sections of the report, a file per paper. Published numbers are those of the papers'
//! tables; their plots have none.

mod barina;
mod enfedaque;
mod kucis;
mod laan;
mod shahbahrami;

use super::figures::{Figure, Report, Section};
use super::session::Session;
use wavelift::Result;

/// Measures a section.
pub type Measure = fn(&Session) -> Result<Section>;

/// All sections by name, in the order of the report.
pub const ALL: &[(&str, Measure)] = &[
    ("kucis-rows", kucis::rows),
    ("kucis-columns", kucis::columns),
    ("kucis-entire", kucis::entire),
    ("kucis-gpu-against-cpu", kucis::gpu_against_cpu),
    ("laan-pictures", laan::pictures),
    ("laan-volumes", laan::volumes),
    (
        "laan-convolution-and-transposition",
        laan::convolution_and_transposition,
    ),
    ("enfedaque-sizes", enfedaque::sizes),
    ("enfedaque-block-heights", enfedaque::block_heights),
    ("enfedaque-exchange", enfedaque::exchange),
    ("enfedaque-accesses", enfedaque::accesses),
    ("enfedaque-bottlenecks", enfedaque::bottlenecks),
    ("barina-single-loop", barina::single_loop),
    ("barina-cores", barina::cores),
    ("barina-borders", barina::borders),
    ("barina-threads", barina::threads),
    ("shahbahrami-aliasing", shahbahrami::aliasing),
    ("shahbahrami-filtering", shahbahrami::filtering),
];

/// What several reports together say that none does alone: further conclusions for
/// the section of that title.
pub fn conclude_together(reports: &[Report]) -> (&'static str, Vec<String>) {
    (kucis::GPU_AGAINST_CPU, kucis::gpus_over_cpus(reports))
}

/// How a square picture is called.
fn square(side: usize) -> String {
    format!("{side} x {side}")
}

/// A figure with what was published for it, a number for each piece of hardware; one without a
/// value of ours where there is only that.
fn publish(
    figures: &mut Vec<Figure>,
    figure: Option<Figure>,
    work: &str,
    method: &str,
    published: impl IntoIterator<Item = f64>,
) {
    let published: Vec<f64> = published.into_iter().collect();
    match figure {
        Some(figure) => figures.push(Figure {
            published,
            ..figure
        }),
        None if !published.is_empty() => figures.push(Figure {
            work: work.to_owned(),
            method: method.to_owned(),
            published,
            ..Figure::default()
        }),
        None => {}
    }
}
