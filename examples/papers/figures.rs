//! What a report is made of, as it is written to results.json and read again:
//! sections of tables of figures.

use serde::{Deserialize, Serialize};

/// The figures of one device.
#[derive(Serialize, Deserialize)]
pub struct Report {
    pub device: String,
    pub driver: String,
    /// `cpu`, `gpu` or `accelerator`.
    pub kind: String,
    pub compute_units: usize,
    pub date: String,
    pub commit: String,
    /// Whether it was made by `--quick`, with fewer and smaller cases.
    pub quick: bool,
    /// How many threads of all programs wanted to run on the host at the end, in the last minutes'
    /// mean, where that is known.
    #[serde(default)]
    pub host_load: Option<f64>,
    /// 32-bit operations per second of floats and of integers, at most.
    pub operations_per_second: [f64; 2],
    pub sections: Vec<Section>,
}

/// What one or several figures and tables of a paper say, and what this device says to it.
#[derive(Serialize, Deserialize)]
pub struct Section {
    pub title: String,
    /// What was measured, there and here.
    pub intro: String,
    pub tables: Vec<Table>,
    pub plots: Vec<Plot>,
    /// What this device could not run, and why.
    pub notes: Vec<String>,
    pub conclusions: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Table {
    pub title: String,
    pub unit: String,
    /// On what the published numbers were measured.
    pub hardware: Vec<String>,
    pub figures: Vec<Figure>,
}

/// One time, or another number, by one method.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Figure {
    pub work: String,
    pub method: String,
    /// The place on a plot's x axis.
    pub x: f64,
    /// None where the paper alone has it, or this device could not run it.
    pub value: Option<f64>,
    /// One for each piece of hardware that the table names, or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<f64>,
    /// What share of the rate at which the device copies the same array the bytes were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_copy: Option<f64>,
    /// What share of the device's arithmetic rate was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_arithmetic: Option<f64>,
}

/// A drawing of a table.
#[derive(Serialize, Deserialize)]
pub struct Plot {
    /// The file's name, without `.svg`.
    pub name: String,
    pub table: usize,
    pub x: String,
    pub kind: PlotKind,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum PlotKind {
    /// A line per method, both axes logarithmic.
    Lines,
    /// A bar per work, of the methods one above another.
    Stacked,
}

impl Section {
    pub fn new(title: &str, intro: &str) -> Self {
        Section {
            title: title.to_owned(),
            intro: intro.to_owned(),
            tables: Vec::new(),
            plots: Vec::new(),
            notes: Vec::new(),
            conclusions: Vec::new(),
        }
    }

    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a table, and a drawing of it.
    pub fn plotted(&mut self, table: Table, name: &str, x: &str, kind: PlotKind) {
        self.plots.push(Plot {
            name: name.to_owned(),
            table: self.tables.len(),
            x: x.to_owned(),
            kind,
        });
        self.tables.push(table);
    }
}

impl Table {
    pub fn new(title: &str, unit: &str, hardware: &[&str]) -> Self {
        Table {
            title: title.to_owned(),
            unit: unit.to_owned(),
            hardware: hardware.iter().map(|&one| one.to_owned()).collect(),
            figures: Vec::new(),
        }
    }

    /// The works, in order, each once.
    pub fn works(&self) -> Vec<&str> {
        unique(self.figures.iter().map(|figure| figure.work.as_str()))
    }

    /// The methods, in order, each once.
    pub fn methods(&self) -> Vec<&str> {
        unique(self.figures.iter().map(|figure| figure.method.as_str()))
    }

    pub fn figure(&self, work: &str, method: &str) -> Option<&Figure> {
        let mut figures = self.figures.iter();
        figures.find(|figure| figure.work == work && figure.method == method)
    }

    pub fn value(&self, work: &str, method: &str) -> Option<f64> {
        self.figure(work, method)?.value
    }

    /// What ratios of a work's numbers are to: the first of its figures that has one; of all works,
    /// where one method did them.
    pub fn base(&self, work: &str, number: impl Fn(&Figure) -> Option<f64>) -> Option<f64> {
        let is_alone = self.methods().len() == 1;
        let mut figures = self.figures.iter();
        figures.find_map(|figure| number(figure).filter(|_| is_alone || figure.work == work))
    }
}

fn unique<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// A number with as many digits as a measurement has.
pub fn rounded(number: f64) -> f64 {
    format!("{number:.4e}").parse().unwrap_or(number)
}
