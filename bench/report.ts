import { cpus, loadavg } from 'node:os';
import type { Settled } from './deadlines.ts';
import type { Figure, Results } from './run.ts';
import { type Spread, spreadOf } from './spread.ts';

/** The results as Markdown tables, which can be read on a terminal too. */
export const report = (results: Results, command: string): string =>
  [
    heading(command),
    'CPU is that of the whole client process, per call: median [lowest–highest] over the rounds.',
    '',
    '### Own layers, answered from memory',
    '',
    table(
      ['', 'concurrency', 'CPU per call, µs', 'heap per call, KiB'],
      results.own.map((figure) => [figure.subject, figure.concurrency, spread(figure.cpuUs, 1), heap(results, figure)]),
    ),
    '',
    '### Over loopback, the server in another process',
    '',
    table(
      ['', 'concurrency', 'CPU per call, µs', 'CPU to fetch', 'CPU to ky', 'calls per second', 'heap per call, KiB'],
      results.loopback.map((figure) => [
        figure.subject,
        figure.concurrency,
        spread(figure.cpuUs, 0),
        spread(figure.toFirst, 2),
        spread(figure.toSecond, 2),
        Math.round(figure.callsPerSecond.median),
        heap(results, figure),
      ]),
    ),
    '',
    '### Calls that cannot succeed, against their deadline',
    '',
    table(
      ['', 'deadline, ms', 'settled after, ms', 'latest beyond the deadline, ms', 'code'],
      [...Map.groupBy(results.deadlines, ({ name }) => name)].map(([name, calls]) => deadlineRow(name, calls)),
    ),
    '',
  ].join('\n');

/** How far beyond its deadline the latest call ended; 0 when none did. */
export const latestMs = (calls: readonly Settled[]): number =>
  Math.max(0, ...calls.map(({ settledMs, deadlineMs }) => settledMs - deadlineMs));

const deadlineRow = (name: string, calls: readonly Settled[]) => [
  name,
  calls[0]?.deadlineMs ?? '',
  spread(spreadOf(calls.map(({ settledMs }) => settledMs)), 0),
  latestMs(calls).toFixed(1),
  [...new Set(calls.map(({ code }) => code))].join(', '),
];

const heap = ({ allocation }: Results, { subject }: Figure): string =>
  ((allocation.get(subject) ?? Number.NaN) / 1024).toFixed(1);

export const spread = ({ median, lowest, highest }: Spread, digits: number): string =>
  `${median.toFixed(digits)} [${lowest.toFixed(digits)}–${highest.toFixed(digits)}]`;

/** What was run, when and where. */
export const heading = (command: string): string =>
  `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine()}.`;

/** The load says how much else the machine was doing: the bench itself is about 1.5. */
const machine = (): string =>
  `${cpus().length} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, ${process.platform}, load ${loadavg()[0]?.toFixed(1)}`;

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};
