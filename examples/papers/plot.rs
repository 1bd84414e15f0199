//! Drawings of tables, as SVG.

use super::figures::{Plot, PlotKind, Table};
use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::*;
use std::ops::Range;

const SIZE: (u32, u32) = (640, 400);
const FONT: (&str, u32) = ("sans-serif", 13);
/// Colours that differ in brightness, too.
const COLOURS: [RGBColor; 8] = [
    RGBColor(194, 65, 12),
    RGBColor(30, 78, 121),
    RGBColor(90, 150, 60),
    RGBColor(150, 90, 160),
    RGBColor(110, 110, 110),
    RGBColor(230, 160, 30),
    RGBColor(80, 180, 200),
    RGBColor(60, 40, 30),
];

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The text of an SVG file; none where there is nothing to draw.
pub fn svg(plot: &Plot, table: &Table) -> Result<Option<String>, Box<dyn std::error::Error>> {
    if !table.figures.iter().any(|figure| figure.value.is_some()) {
        return Ok(None);
    }
    let mut text = String::new();
    match plot.kind {
        PlotKind::Lines => lines(&mut text, plot, table)?,
        PlotKind::Stacked => stacked(&mut text, table)?,
    }
    // What goes without saying is a good part of the bytes.
    let said = [
        " opacity=\"1\"",
        " stroke-width=\"1\"",
        " stroke=\"none\"",
        " fill=\"#000000\"",
        " font-family=\"sans-serif\"",
    ];
    for said in said {
        text = text.replace(said, "");
    }
    text = text.replacen("<svg", "<svg font-family=\"sans-serif\"", 1);
    let lines = text.lines().map(str::trim);
    let seen = lines.filter(|line| !line.starts_with("<line stroke=\"#FFFFFF\""));
    Ok(Some(seen.collect::<Vec<_>>().join("\n") + "\n"))
}

fn colour(i: usize) -> RGBColor {
    COLOURS[i % COLOURS.len()]
}

/// A range with some room at both ends, on a logarithmic axis.
fn around(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) = values.fold((f64::INFINITY, 0.0f64), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    0.8 * least..1.25 * most
}

fn lines(text: &mut String, plot: &Plot, table: &Table) -> Drawn {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let drawn = || table.figures.iter().filter(|figure| figure.value.is_some());
    let x = around(drawn().map(|figure| figure.x));
    let y = around(drawn().filter_map(|figure| figure.value));
    // With room for the legend.
    let x = x.start..x.end * (x.end / x.start).powf(0.55);
    let mut chart = ChartBuilder::on(&root)
        .caption(&table.title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(62)
        .build_cartesian_2d(x.log_scale(), y.log_scale())?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .light_line_style(WHITE)
        .label_style(FONT)
        .x_desc(&plot.x)
        .y_desc(&table.unit)
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y))
        .draw()?;
    for (i, method) in table.methods().into_iter().enumerate() {
        let figures = drawn().filter(|figure| figure.method == method);
        let points: Vec<(f64, f64)> = figures
            .map(|figure| (figure.x, figure.value.unwrap_or(figure.x)))
            .collect();
        if points.is_empty() {
            continue;
        }
        let style = colour(i).stroke_width(2);
        let mark = move |(x, y): (i32, i32)| PathElement::new([(x, y), (x + 16, y)], style);
        let series = LineSeries::new(points, style).point_size(3);
        chart.draw_series(series)?.label(method).legend(mark);
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .label_font(FONT)
        .draw()?;
    root.present()?;
    Ok(())
}

/// `1M` for a million.
fn short(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{}M", (number / 1e5).round() / 10.0),
        number if number >= 1e3 => format!("{}k", (number / 1e2).round() / 10.0),
        number => format!("{}", (number * 1000.0).round() / 1000.0),
    }
}

fn stacked(text: &mut String, table: &Table) -> Drawn {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (works, methods) = (table.works(), table.methods());
    let sum = |work: &str| -> f64 {
        methods
            .iter()
            .filter_map(|method| table.value(work, method))
            .sum()
    };
    let most = works.iter().map(|work| sum(work)).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(&table.title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..works.len() as f64, 0.0..1.3 * most)?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .disable_x_mesh()
        .disable_x_axis()
        .light_line_style(WHITE)
        .label_style(FONT)
        .y_desc(&table.unit)
        .y_label_formatter(&|y| short(*y))
        .draw()?;
    for (i, method) in methods.iter().enumerate() {
        let bar = |(place, work): (usize, &&str)| {
            let value = table.value(work, method)?;
            let below: f64 = methods[..i]
                .iter()
                .filter_map(|method| table.value(work, method))
                .sum();
            let place = place as f64;
            Some(Rectangle::new(
                [(place + 0.2, below), (place + 0.8, below + value)],
                colour(i).filled(),
            ))
        };
        let bars: Vec<_> = works.iter().enumerate().filter_map(bar).collect();
        let mark = move |(x, y): (i32, i32)| {
            Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour(i).filled())
        };
        chart.draw_series(bars)?.label(*method).legend(mark);
    }
    let names = works.iter().enumerate().map(|(place, work)| {
        let style = FONT.into_font().color(&BLACK);
        Text::new(
            (*work).to_owned(),
            (place as f64 + 0.22, 1.05 * sum(work) + 0.04 * most),
            style,
        )
    });
    chart.draw_series(names)?;
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .label_font(FONT)
        .draw()?;
    root.present()?;
    Ok(())
}
