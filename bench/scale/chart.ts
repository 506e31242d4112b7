/** A chart of lines, as SVG that can be read on a light page and on a dark one. */
export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** At most four; the first is the one to look at. */
  readonly series: readonly Series[];
  /** A part of the x axis that is something special. */
  readonly shaded?: { readonly from: number; readonly to: number; readonly name: string };
}

export interface Axis {
  readonly name: string;
  /** The axis goes from the first to the last. */
  readonly ticks: readonly number[];
  /** @defaultValue linear */
  readonly scale?: 'linear' | 'logarithmic';
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 760;
const height = 400;
const plot = { left: 76, right: 736, top: 84, bottom: 344 };

export const lineChart = ({ title, x, y, series, shaded }: LineChart): string => {
  const toX = scaleOf(x, plot.left, plot.right);
  const toY = scaleOf(y, plot.bottom, plot.top);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">`,
    `<style>${style}</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    text(plot.left - 52, 30, title, 'title'),
    ...(shaded
      ? [
          `<rect class="shade" x="${round(toX(shaded.from))}" y="${plot.top}" width="${round(toX(shaded.to) - toX(shaded.from))}" height="${plot.bottom - plot.top}"/>`,
          text((toX(shaded.from) + toX(shaded.to)) / 2, plot.top + 14, shaded.name, 'middle'),
        ]
      : []),
    ...y.ticks.flatMap((tick) => [
      `<path class="grid" d="M${plot.left} ${round(toY(tick))}H${plot.right}"/>`,
      text(plot.left - 8, toY(tick) + 4, tick.toLocaleString('en'), 'end'),
    ]),
    ...x.ticks.flatMap((tick) => [
      `<path class="grid" d="M${round(toX(tick))} ${plot.bottom}v5"/>`,
      text(toX(tick), plot.bottom + 20, tick.toLocaleString('en'), 'middle'),
    ]),
    text((plot.left + plot.right) / 2, height - 14, x.name, 'middle'),
    text(plot.left - 52, plot.top - 12, y.name),
    ...series.map(({ points }, index) => `<path class="line s${index + 1}" d="${pathOf(points, toX, toY)}"/>`),
    ...legend(series),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
};

const legend = (series: readonly Series[]): readonly string[] => {
  const all = series.map(({ name }) => 44 + 6.4 * name.length);
  let at = plot.left - 52;
  return series.flatMap(({ name }, index) => {
    const from = at;
    at += all[index] ?? 0;
    return [`<path class="line s${index + 1}" d="M${round(from)} 50h18"/>`, text(from + 24, 54, name)];
  });
};

const pathOf = (points: Series['points'], toX: (x: number) => number, toY: (y: number) => number) =>
  points
    .filter(([, y]) => Number.isFinite(y))
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(toX(x))} ${round(toY(y))}`)
    .join('');

/** Values beyond the axis are drawn at its end. */
const scaleOf = ({ ticks, scale = 'linear' }: Axis, from: number, to: number) => {
  const spread = (value: number) => (scale === 'linear' ? value : Math.log(value));
  const [first, last] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return (value: number) => {
    const share = (spread(value) - spread(first)) / (spread(last) - spread(first));
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  };
};

const text = (x: number, y: number, content: string, kind = 'label') =>
  `<text class="${kind}" x="${round(x)}" y="${round(y)}">${escape(content)}</text>`;

const round = (value: number) => Number(value.toFixed(1));

const escape = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const style = [
  'text{font:12px system-ui,sans-serif;fill:#3d4450}.title{font-size:15px;font-weight:600;fill:#1b1f26}',
  '.middle{text-anchor:middle}.end{text-anchor:end}',
  '.page{fill:#fff;stroke:#d8dde4}.grid{stroke:#e4e8ed;fill:none}.shade{fill:#b4bcc8;opacity:.28}',
  '.line{fill:none;stroke-width:2;stroke-linejoin:round}',
  '.s1{stroke:#1f6feb}.s2{stroke:#c2410c;stroke-dasharray:7 3}.s3{stroke:#15803d;stroke-dasharray:2 3}.s4{stroke:#7e22ce;stroke-dasharray:10 3 2 3}',
  '@media (prefers-color-scheme:dark){text{fill:#b9c1cd}.title{fill:#eef1f5}.page{fill:#12161d;stroke:#303844}',
  '.grid{stroke:#28303b}.shade{fill:#8b96a5;opacity:.22}.s1{stroke:#6cb0ff}.s2{stroke:#ff9a5c}.s3{stroke:#5fd38a}.s4{stroke:#d2a8ff}}',
].join('');
