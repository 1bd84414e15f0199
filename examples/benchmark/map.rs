//! The smoothness map: how long a sample takes in arrays of all shapes, as a heat map, so that a
//! shape that falls off a cliff is seen.

use crate::common::cli::{Result, Shape};
use crate::common::replace::write_temporary;
use crate::common::table::{Align, Table};
use crate::session::{Outcome, Row};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::io::Write;
use std::path::Path;

/// Shapes of about so many samples: of 1 to 4 axes, all that are transformed and each subset of
/// them, powers of two, odd, thin and long ones, pictures of pixels, and small pictures in batches.
pub fn sweep(samples: usize) -> Vec<Shape> {
    let batch = |of: usize| (samples / of).max(1);
    let [a, b] = powers(samples);
    let [c, d, e] = powers(samples);
    let mut shapes = Vec::new();
    for lengths in [
        vec![samples],
        vec![samples - 1],
        vec![a, b],
        vec![a - 1, b + 1],
        vec![a + 1, b],
        vec![batch(7), 7],
        vec![batch(16), 16],
        vec![batch(256), 256],
        vec![3, batch(3)],
        vec![16, batch(16)],
        vec![256, batch(256)],
        vec![c, d, e],
        vec![c - 1, d, e + 1],
        powers::<4>(samples).to_vec(),
    ] {
        shapes.extend(subsets(&lengths));
    }
    for pixel in [2, 3, 4, 5, 8, 16] {
        let [a, b] = powers(samples / pixel);
        shapes.push(shape(vec![a, b, pixel], vec![0, 1]));
    }
    let [a, b] = powers(samples / 3);
    shapes.push(shape(vec![a, b, 3], vec![0]));
    shapes.push(shape(vec![a, b, 3], vec![1]));
    shapes.push(shape(vec![3, a, b], vec![1, 2]));
    for picture in [8, 32, 64] {
        let lengths = vec![batch(picture * picture), picture, picture];
        shapes.push(shape(lengths, vec![1, 2]));
    }
    shapes
}

/// Powers of two that differ by a factor of two at most, and are the largest
/// ones within so many samples.
fn powers<const AXES: usize>(samples: usize) -> [usize; AXES] {
    let bits = samples.ilog2() as usize;
    std::array::from_fn(|axis| 1 << ((bits + AXES - 1 - axis) / AXES))
}

fn shape(lengths: Vec<usize>, axes: Vec<usize>) -> Shape {
    Shape { lengths, axes }
}

/// An array with each set of axes that can be transformed.
fn subsets(lengths: &[usize]) -> impl Iterator<Item = Shape> {
    (1u32..1 << lengths.len()).map(|set| {
        let axes = (0..lengths.len()).filter(|axis| set >> axis & 1 == 1);
        shape(lengths.to_vec(), axes.collect())
    })
}

/// A measured row of the benchmark: a cell of the map.
struct Cell<'a> {
    row: &'a Row<'a>,
    strategy: &'a str,
    /// Nanoseconds per sample, of the fastest run.
    time: f64,
    /// The time over the least one of as many levels along as many axes.
    ratio: f64,
}

fn cells<'a>(rows: &'a [Row]) -> Vec<Cell<'a>> {
    let measured = |row: &'a Row| match &row.outcome {
        Outcome::Measured {
            strategy, times, ..
        } => Some(Cell {
            row,
            strategy,
            time: times.least() as f64 / row.problem.transform.len() as f64,
            ratio: 1.0,
        }),
        _ => None,
    };
    let mut cells: Vec<Cell> = rows.iter().filter_map(measured).collect();
    let class = |cell: &Cell| {
        let problem = cell.row.problem;
        let transform = &problem.transform;
        (
            cell.row.device.info().index,
            transform.wavelet().to_string(),
            problem.sample,
            transform.level_count(),
            transform.chosen_axes().len(),
        )
    };
    let ratios: Vec<f64> = cells
        .iter()
        .map(|cell| {
            let alike = cells.iter().filter(|other| class(other) == class(cell));
            cell.time / alike.map(|other| other.time).fold(f64::INFINITY, f64::min)
        })
        .collect();
    for (cell, ratio) in cells.iter_mut().zip(ratios) {
        cell.ratio = ratio;
    }
    cells
}

/// What a row of the map stands for.
fn shape_of(cell: &Cell) -> String {
    let transform = &cell.row.problem.transform;
    let words = |numbers: &[usize], between| {
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        words.join(between)
    };
    let (lengths, axes) = (transform.shape(), transform.chosen_axes());
    format!("{}:{}", words(lengths, "x"), words(axes, "+"))
}

/// What a column stands for: all but the shape.
fn column_of(cell: &Cell) -> String {
    let problem = cell.row.problem;
    let transform = &problem.transform;
    let (platform, device) = cell.row.device.info().index;
    format!(
        "{platform}:{device} {} {} {} {} {} {}",
        transform.wavelet(),
        problem.sample,
        transform.level_count(),
        transform.boundary_rule(),
        transform.coefficient_layout(),
        problem.direction.name(),
    )
}

/// The ten cells that are slowest among their like.
pub fn worst(rows: &[Row]) -> Table {
    let mut cells = cells(rows);
    cells.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let titles = [
        ("of best", Align::Right),
        ("ns per sample", Align::Right),
        ("shape", Align::Left),
        ("what", Align::Left),
        ("strategy", Align::Left),
    ];
    let mut table = Table::new(titles);
    for cell in cells.iter().take(10) {
        table.row(vec![
            format!("{:.1}", cell.ratio),
            format!("{:.4}", cell.time),
            shape_of(cell),
            column_of(cell),
            cell.strategy.to_owned(),
        ]);
    }
    table
}

const CELL: (i32, i32) = (30, 14);
const LABELS: (i32, i32) = (150, 240);

/// Writes the heat map as SVG: shapes downwards, everything else across.
pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let text = svg(&cells(rows))?;
    write_temporary(path, |file| Ok(file.write_all(text.as_bytes())?))?.rename()
}

fn svg(cells: &[Cell]) -> Result<String> {
    let names = |name: fn(&Cell) -> String| {
        let mut names: Vec<String> = Vec::new();
        for name in cells.iter().map(name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let (shapes, columns) = (names(shape_of), names(column_of));
    let place = |names: &[String], name: String| {
        let found = names.iter().position(|known| *known == name);
        found.unwrap_or(0) as i32
    };
    let x = |column: i32| LABELS.0 + column * CELL.0;
    let y = |shape: i32| LABELS.1 + shape * CELL.1;
    let size = (
        x(columns.len() as i32) as u32,
        y(shapes.len() as i32) as u32,
    );
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
    root.fill(&WHITE)?;
    let label = ("sans-serif", 11).into_font();
    let right = label
        .clone()
        .color(&BLACK)
        .pos(Pos::new(HPos::Right, VPos::Center));
    for (i, shape) in shapes.iter().enumerate() {
        let place = (LABELS.0 - 6, y(i as i32) + CELL.1 / 2);
        root.draw(&Text::new(shape.clone(), place, &right))?;
    }
    let upwards = label.transform(FontTransform::Rotate270);
    let upwards = upwards
        .color(&BLACK)
        .pos(Pos::new(HPos::Left, VPos::Center));
    for (i, column) in columns.iter().enumerate() {
        let place = (x(i as i32) + CELL.0 / 2, LABELS.1 - 6);
        root.draw(&Text::new(column.clone(), place, &upwards))?;
    }
    let middle = ("sans-serif", 10).into_font().color(&BLACK);
    let middle = middle.pos(Pos::new(HPos::Center, VPos::Center));
    for cell in cells {
        let (column, shape) = (
            place(&columns, column_of(cell)),
            place(&shapes, shape_of(cell)),
        );
        let (left, top) = (x(column), y(shape));
        let corners = [(left, top), (left + CELL.0 - 1, top + CELL.1 - 1)];
        root.draw(&Rectangle::new(corners, heat(cell.ratio).filled()))?;
        let centre = (left + CELL.0 / 2, top + CELL.1 / 2);
        root.draw(&Text::new(format!("{:.1}", cell.ratio), centre, &middle))?;
    }
    root.present()?;
    drop(root);
    Ok(text)
}

/// White for the best of its like, red from three times as long on.
fn heat(ratio: f64) -> RGBColor {
    let heat = (ratio.ln() / 3f64.ln()).clamp(0.0, 1.0);
    let fading = |from: f64| (255.0 - (255.0 - from) * heat) as u8;
    RGBColor(fading(214.0), fading(69.0), fading(45.0))
}
