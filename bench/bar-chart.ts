/** Bars of one group, as multiples of the first. */
export interface BarGroup {
  readonly name: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const width = 760;
const rowHeight = 22;
const left = 220;
const right = 690;

/** Horizontal bars as SVG that can be read on a light page and on a dark one; a line marks 1. */
export const barChart = (title: string, groups: readonly BarGroup[]): string => {
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const toX = (value: number) => (left + ((right - left) * value) / most).toFixed(1);
  const rows: string[] = [];
  let top = 52;
  for (const { name, bars } of groups) {
    rows.push(`<text class="group" x="24" y="${top + 15}">${name}</text>`);
    const begin = top;
    for (const bar of bars) {
      const isOurs = bar.name.startsWith('full stack');
      rows.push(
        `<text x="${left - 10}" y="${top + 15}" text-anchor="end">${bar.name}</text>`,
        `<rect class="${isOurs ? 'ours' : 'other'}" x="${left}" y="${top + 3}" width="${(Number(toX(bar.value)) - left).toFixed(1)}" height="${rowHeight - 6}" rx="2"/>`,
        `<text x="${Number(toX(bar.value)) + 6}" y="${top + 15}">${bar.value.toFixed(2)}</text>`,
      );
      top += rowHeight;
    }
    rows.push(`<path class="one" d="M${toX(1)} ${begin}V${top}"/>`);
    top += 14;
  }
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 6}" role="img" aria-label="${title}">`,
    `<style>${style}</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${top + 5}" rx="8"/>`,
    `<text class="title" x="24" y="30">${title}</text>`,
    ...rows,
    '</svg>',
  ].join('\n')}\n`;
};

const style = [
  'text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.group{font-weight:600}',
  '.page{fill:#fff;stroke:#d1d9e0}.ours{fill:#0969da}.other{fill:#8c959f}.one{stroke:#1f2328;stroke-dasharray:3 3;fill:none}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#3d444d}.ours{fill:#4493f8}',
  '.other{fill:#656c76}.one{stroke:#e6edf3}}',
].join('');
