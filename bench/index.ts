/**
 * What a call costs, and when calls that cannot succeed end: `npm run bench`. With `-- --short` it takes some seconds
 * and fails when our own layers cost much more. `-- webhooks`, `-- outbox`, `-- queues`, `-- tools`, `-- live`, `-- voice`,
 * `-- tenants`, `-- observability`, `-- peers`, `-- memory`, `-- growth`, `-- blocking`, `-- faults`, `-- dead-api` and `-- twice` measure those
 * instead, and `-- all` most of them; of these, the short ones of the tenants, of observability and of growth can fail.
 * `-- budgets --short` fails when an import, a bundle or the installed package has grown too much.
 */
import { parseArgs } from 'node:util';
import { blocking } from './blocking.ts';
import { budgetGate, budgetReport, measureBudgets } from './budgets.ts';
import { clients } from './clients.ts';
import { deadApi } from './dead-api.ts';
import { faults } from './faults.ts';
import { gate } from './gate.ts';
import { growth } from './growth.ts';
import { everything, growthGate, growthReport, measureGrowth } from './growth-of-records.ts';
import { textMasks } from './growth-of-texts.ts';
import { live } from './live.ts';
import { measureObservability, observabilityGate, observabilityReport } from './observability.ts';
import { memoryReport } from './memory.ts';
import { outbox } from './outbox.ts';
import { queues } from './queues.ts';
import { report } from './report.ts';
import { type Extent, run } from './run.ts';
import { scaleGate, scaleReport, simulateScale, writeCharts } from './scale/index.ts';
import { measureTenants, tenantGate, tenantReport } from './tenants.ts';
import { tools } from './tools.ts';
import { twice } from './twice.ts';
import { voice } from './voice.ts';
import { webhooks } from './webhooks.ts';

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const whole: Extent = { concurrencies: [1, 16, 128], rounds: 15, sliceMs: 100, deadlineRounds: 3 };
const short: Extent = { concurrencies: [16], rounds: 7, sliceMs: 60, deadlineRounds: 1 };
const extent = values.short ? short : whole;
const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');

const print = (line: string) => console.log(line);

const tenants = async (): Promise<string> => {
  const results = await measureTenants(extent);
  if (values.short && !tenantGate(results, print)) process.exitCode = 1;
  return tenantReport(results, command);
};

const budgets = async (): Promise<string> => {
  const found = await measureBudgets(values.short ? 7 : 15);
  if (values.short && !budgetGate(found, print)) process.exitCode = 1;
  return budgetReport(found, command);
};

const observability = async (): Promise<string> => {
  const figures = await measureObservability(extent);
  if (values.short && !observabilityGate(figures, print)) process.exitCode = 1;
  return observabilityReport(figures, command);
};

const scale = async (): Promise<string> => {
  const findings = await simulateScale(values.short ? 'short' : 'whole');
  if (!values.short) await writeCharts(findings);
  if (!scaleGate(findings, print)) process.exitCode = 1;
  return scaleReport(findings, command);
};

const calls = async (): Promise<string> => {
  const results = await run(extent);
  if (values.short && !gate(results, print)) process.exitCode = 1;
  return report(results, command);
};

/** The short one leaves out calls in flight, which have no gate. */
const growths = async (): Promise<string> => {
  const found = await measureGrowth([...everything(), ...textMasks()], { short: values.short });
  if (values.short && !growthGate(found, print)) process.exitCode = 1;
  const ofCalls = values.short ? [] : [await growth(extent, command)];
  return [...ofCalls, growthReport(found, command)].join('\n');
};

/** Each gives its own tables. */
const suites = new Map<string, (extent: Extent, command: string) => Promise<string>>([
  ['calls', calls],
  ['webhooks', webhooks],
  ['outbox', outbox],
  ['queues', queues],
  ['tools', tools],
  ['live', live],
  ['voice', voice],
  ['tenants', tenants],
  ['blocking', blocking],
  ['budgets', budgets],
  ['memory', (_extent, name) => memoryReport(name)],
  ['growth', growths],
  ['peers', clients],
  ['observability', observability],
  ['faults', faults],
  ['dead-api', deadApi],
  ['twice', twice],
  ['scale', scale],
]);

/** Those that need no other servers, one after the other. */
const all = [
  'calls',
  'peers',
  'memory',
  'growth',
  'blocking',
  'budgets',
  'faults',
  'live',
  'voice',
  'tools',
  'tenants',
  'observability',
];

const asked = positionals.length === 0 ? ['calls'] : positionals.flatMap((name) => (name === 'all' ? all : [name]));
for (const name of asked) {
  const suite = suites.get(name);
  if (!suite) throw new Error(`there is no suite ${name}, only all, ${[...suites.keys()].join(', ')}`);
  console.log(await suite(extent, command));
}
