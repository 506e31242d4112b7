import type { Subject } from './measure.ts';
import { heading, spread, table } from './report.ts';
import { type Extent, figuresOf } from './run.ts';
import { startServer } from './start-server.ts';
import { gets, ownLayers } from './subjects.ts';

const inFlight = [1, 10, 100, 1_000];

/** Whether a call costs the same however many are under way: from memory, and over undici. */
export const growth = async (extent: Extent, command: string): Promise<string> => {
  using server = await startServer();
  const [, ownGet] = ownLayers();
  const overSockets = gets(server.baseUrl).filter(({ name }) => name.includes('transport/'));
  const rows: (readonly (string | number)[])[] = [];
  for (const subject of ownGet ? [ownGet, ...overSockets] : overSockets) {
    const figures = await figuresOf(atOnce(subject), { ...extent, concurrencies: [1] });
    for (const [index, { cpuUs, toFirst }] of figures.entries())
      rows.push([subject.name, inFlight[index] ?? '', spread(cpuUs, 1), spread(toFirst, 2)]);
  }
  return [
    heading(command),
    'The aim is that a call costs at most 1.3 of one alone.',
    '',
    '### Calls in flight',
    '',
    table(['', 'in flight', 'CPU per call, µs', 'to one alone'], rows),
    '',
  ].join('\n');
};

const atOnce = ({ name, call }: Subject): readonly Subject[] =>
  inFlight.map((count) => ({ name: `${name}, ${count} in flight`, call, inFlight: count }));
