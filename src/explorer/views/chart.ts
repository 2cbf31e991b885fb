import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../app/html.js';
import { type Chart, chooseColour, timeSteps } from '../model/chart.js';
import { printMicros, type Zone } from '../model/time.js';

interface Props {
  readonly chart: Chart;
  readonly zone: Zone;
  /** Changes with the page's colours, which a canvas does not follow by itself. */
  readonly theme: string;
  readonly height: number;
  readonly label: string;
}

/** A line or bar chart over time. */
export function ChartView({ chart, zone, theme, height, label }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    return draw(box.current, { chart, zone, height });
  }, [chart, zone, height, theme]);
  return html`<div class="chart" role="img" aria-label=${`${label}. ${summary(chart, zone)}`} ref=${box}></div>`;
}

/** Returns the text for screen readers: the range, and the highest value of each series. */
function summary({ times, series, isInstant }: Chart, zone: Zone): string {
  const print = (seconds = 0) =>
    printMicros(Math.round(seconds * 1e6), isInstant ? zone : 'utc').slice(0, 16);
  const highest = series.map(({ name, values }) => {
    const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
    return `${name} up to ${most}`;
  });
  return `From ${print(times[0])} to ${print(times.at(-1))}: ${highest.join(', ')}`;
}

type DrawOptions = Pick<Props, 'chart' | 'zone' | 'height'>;

function draw(box: HTMLElement, options: DrawOptions): () => void {
  const { chart } = options;
  const series = chart.series.map(({ values }) => [...values]);
  const data: uPlot.AlignedData = [[...chart.times], ...series];
  const plot = new uPlot(chartOptions(box, options), data, box);
  const { height } = options;
  const observer = new ResizeObserver(() => plot.setSize({ width: contentWidth(box), height }));
  observer.observe(box);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/** Returns the width inside the padding, which explorer.css sets. */
function contentWidth(box: HTMLElement): number {
  return Math.max(100, box.clientWidth - 8);
}

function chartOptions(box: HTMLElement, { chart, zone, height }: DrawOptions): uPlot.Options {
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  // Marks must not be closer than the charted steps.
  const incrs = timeSteps.filter((step) => step >= chart.step);
  const isUtc = zone === 'utc' || !chart.isInstant;
  return {
    width: contentWidth(box),
    height,
    ...(isUtc && {
      tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    }),
    cursor: { drag: { x: false, y: false }, y: false },
    scales: {
      x: { range: (_plot, least, most) => [least - room(chart, 0.1), most + room(chart, 1)] },
      y: { range: (_plot, least, most) => [Math.min(0, least), Math.max(most, 1) * 1.05] },
    },
    axes: [
      { ...axis, size: 38, values: axisTimes, incrs },
      { ...axis, size: 46, space: 24 },
    ],
    series: [
      { label: 'Time', value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' },
      ...chart.series.map(({ name }, index) =>
        chartSeries(name, colour(chooseColour(name, index)), chart),
      ),
    ],
  };
}

/** Returns the space before the first bar and after the last one, in seconds; `part` is its share of a bar's width. */
function room({ kind, step }: Chart, part: number): number {
  return kind === 'bar' ? step * part : 0;
}

function chartSeries(label: string, colour: string, { kind }: Chart): uPlot.Series {
  const bars = kind === 'bar' && uPlot.paths.bars?.({ size: [0.86, 60], align: 1 });
  const width = kind === 'bar' ? 0 : 1.5;
  const common = { label, stroke: colour, width, points: { filter: lonePoints } };
  return bars ? { ...common, fill: colour, paths: bars, points: { show: false } } : common;
}

/** The points between two gaps, which a line does not show. @see uPlot's docs, series.points.filter */
const lonePoints: uPlot.Series.Points.Filter = ({ data }, series) => {
  const values = data[series] ?? [];
  const isGap = (at: number) => values[at] == null;
  return [...values.keys()].filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
};

/** Formats times by the distance of the marks; shows the day when it changes. @see uPlot's docs, axis.values */
const axisTimes: uPlot.Axis.Values = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [0.001, ':{ss}.{fff}', '\n{HH}:{mm}', null, null, null, '\n{HH}:{mm}', null, 1],
];
