//! Every way to walk a band gives what its indices say.

use super::*;
use crate::transform::{Band, Coefficients, Layout, Transform};
use crate::wavelet::Wavelet;

#[test]
fn bands_are_read_and_written_in_place() {
    let transform = Transform::new(Wavelet::CDF_5_3, [3, 4]);
    let data = (0..12).collect();
    let mut coefficients = Coefficients::<i32>::from_parts(&transform, data).unwrap();
    let hl = coefficients.band(1, Band::HL).unwrap();
    assert_eq!(
        (hl.rows(), hl.cols(), hl.to_vec()),
        (2, 2, vec![2, 3, 6, 7])
    );
    assert_eq!(
        (hl.get(&[1, 0]), hl.get(&[2, 0]), hl.get(&[0])),
        (Some(6), None, None)
    );

    let mut lh = coefficients.band_mut(1, Band::LH).unwrap();
    lh.apply(|v| -v);
    *lh.get_mut(&[0, 1]).unwrap() += 100;
    assert_eq!(coefficients.as_slice()[8..10], [-8, 91]);
    let mut hh = coefficients.band_mut(1, Band::HH).unwrap();
    assert!(hh.copy_from_slice(&[1]).is_err());
    hh.copy_from_slice(&[1, 2]).unwrap();
    assert_eq!(coefficients.as_slice()[10..], [1, 2]);
}

#[test]
fn interleaved_bands_are_strided() {
    let transform = Transform::new(Wavelet::CDF_5_3, [2, 5])
        .axes([1])
        .layout(Layout::Interleaved);
    let coefficients = Coefficients::<i32>::from_parts(&transform, (0..10).collect()).unwrap();
    assert_eq!(
        coefficients.band(1, Band::L).unwrap().to_vec(),
        [0, 2, 4, 5, 7, 9]
    );
    assert_eq!(
        coefficients.band(1, Band::H).unwrap().to_vec(),
        [1, 3, 6, 8]
    );
}

/// Every way to walk a band gives what its indices say.
#[test]
fn walks_agree() {
    let boxes = [
        (vec![3, 5, 6], vec![1, 2]),
        (vec![5, 6, 3], vec![0, 1]),
        (vec![4, 3, 5], vec![0, 2]),
        (vec![7], vec![0]),
        (vec![2, 3, 4, 5], vec![1]),
        (vec![1, 6], vec![0, 1]),
    ];
    for (shape, axes) in boxes {
        for &layout in Layout::ALL {
            let transform = Transform::new(Wavelet::CDF_5_3, shape.clone())
                .axes(axes.clone())
                .levels(2)
                .layout(layout);
            let data = (0..transform.len() as i32).collect();
            let mut coefficients = Coefficients::from_parts(&transform, data).unwrap();
            for (level, band) in transform.bands() {
                let view = coefficients.band(level, band).unwrap();
                let x = *axes.last().unwrap();
                let expected = by_index(&view);
                assert_eq!(view.to_vec(), expected, "{transform:?} {band}");
                assert_eq!(view.iter().len(), expected.len());
                assert_eq!(view.cols(), view.shape()[x]);
                let rows: Vec<Vec<i32>> = view.rows_iter().map(Iterator::collect).collect();
                assert_eq!(rows.len(), view.rows_iter().len());
                let mut all = rows.concat();
                all.sort_unstable();
                let mut sorted = expected.clone();
                sorted.sort_unstable();
                assert_eq!(all, sorted);
                for (i, row) in rows.iter().enumerate() {
                    let dense = row.windows(2).all(|pair| pair[1] == pair[0] + 1);
                    assert_eq!(view.row(i), dense.then_some(&row[..]));
                }
                assert_eq!(view.row(rows.len()), None);

                let mut view = coefficients.band_mut(level, band).unwrap();
                let mut order = Vec::new();
                view.apply(|v| {
                    order.push(v);
                    -v
                });
                assert_eq!(order, expected);
                view.copy_from_slice(&expected).unwrap();
            }
            let untouched: Vec<i32> = (0..transform.len() as i32).collect();
            assert_eq!(coefficients.as_slice(), untouched);
        }
    }
}

fn by_index(view: &BandView<i32>) -> Vec<i32> {
    let mut indices = vec![vec![]];
    for &n in view.shape() {
        let longer = |index: Vec<usize>| (0..n).map(move |i| [&index[..], &[i]].concat());
        indices = indices.into_iter().flat_map(longer).collect();
    }
    indices
        .iter()
        .map(|index| view.get(index).unwrap())
        .collect()
}

#[test]
fn rows_and_columns_are_those_of_the_transformed_axes() {
    let of = |shape: &[usize], axes: &[usize]| {
        let transform = Transform::new(Wavelet::CDF_5_3, shape).axes(axes);
        let coefficients = Coefficients::<i16>::zeros(&transform).unwrap();
        let band = Band::of_axes(axes.len()).last().unwrap();
        let view = coefficients.band(1, band).unwrap();
        (view.rows(), view.cols())
    };
    assert_eq!(of(&[20, 30, 3], &[0, 1]), (10, 15));
    assert_eq!(of(&[3, 20, 30], &[1, 2]), (10, 15));
    assert_eq!(of(&[20, 30], &[0]), (1, 10));
    assert_eq!(of(&[8, 20, 30], &[0, 1, 2]), (10, 15));
}

#[test]
fn bands_without_columns_have_empty_rows() {
    let cases: [(&[usize], &[usize], Band, usize); 6] = [
        (&[5, 1], &[0, 1], Band::HL, 3),
        (&[5, 1], &[0, 1], Band::LH, 2),
        (&[1, 5], &[0, 1], Band::LH, 0),
        (&[4, 5, 1], &[1, 2], Band::HL, 12),
        (&[1], &[0], Band::H, 1),
        (&[7, 1], &[1], Band::H, 7),
    ];
    for (shape, axes, band, rows) in cases {
        for &layout in Layout::ALL {
            let transform = Transform::new(Wavelet::CDF_5_3, shape)
                .axes(axes)
                .layout(layout);
            let mut coefficients = Coefficients::<i32>::zeros(&transform).unwrap();
            let mut view = coefficients.band_mut(1, band).unwrap();
            let pictures = rows.checked_div(view.rows()).unwrap_or(1);
            assert_eq!(view.rows() * pictures, rows, "{transform:?} {band}");
            assert_eq!(view.rows_iter().len(), rows);
            let lens: Vec<usize> = view.rows_iter().map(|row| row.len()).collect();
            assert_eq!(lens, vec![view.cols(); rows]);
            for i in 0..rows {
                assert_eq!(view.row(i).map(<[_]>::len), Some(view.cols()));
                assert_eq!(view.row_mut(i).map(|row| row.len()), Some(view.cols()));
            }
            assert_eq!((view.row(rows), view.iter().len()), (None, view.len()));
            view.apply(|value| value + 1);
            assert_eq!(view.to_vec(), vec![1; view.len()]);
        }
    }
}

#[test]
fn a_view_prints_itself_and_not_the_array() {
    let transform = Transform::new(Wavelet::CDF_5_3, [100, 100]);
    let data = (0..10_000).collect();
    let coefficients = Coefficients::<i32>::from_parts(&transform, data).unwrap();
    let text = format!("{:?}", coefficients.band(1, Band::HL).unwrap());
    assert!(
        text.starts_with(
            "BandView { shape: [50, 50], offset: 50, strides: [100, 1], first: [50, 51,"
        )
    );
    assert!(text.len() < 200, "{text}");
}
