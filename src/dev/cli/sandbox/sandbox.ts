import type { ApiName } from '../../testing/index.ts';
import type { Command, Given } from '../command.ts';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
import { assertMayWrite, sandboxFile, writeEnvFile } from '../env-file.ts';
import { exitCodes } from '../exit-codes.ts';
import { faultWords } from './read-faults.ts';
import { modeWords } from './read-modes.ts';

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'Run a messaging platform, a CRM and a billing API on this machine, with faults on demand, until Ctrl-C.',
  options: {
    messaging: { value: 'DIALECT', help: 'default, intercom or zendesk' },
    crm: { value: 'DIALECT', help: 'default, salesforce or hubspot' },
    billing: { value: 'DIALECT', help: 'default or stripe' },
    'messaging-port': { value: 'PORT', help: 'Where the messaging platform listens (default: a free port)' },
    'crm-port': { value: 'PORT', help: 'Where the CRM listens (default: a free port)' },
    'billing-port': { value: 'PORT', help: 'Where the billing API listens (default: a free port)' },
    fault: {
      value: 'OPERATION=FAULTS',
      multiple: true,
      help: `What the coming requests of an operation or an API meet, in this order: ${faultWords}; x2 behind one is twice, xall from then on`,
    },
    mode: {
      value: 'API=MODES',
      multiple: true,
      help: `How an API differs from the usual: ${modeWords}`,
    },
    write: {
      value: 'FILE',
      help: `Write the variables to this file, such as ${sandboxFile}, and remove it at the end`,
    },
    model: {
      help: 'Also a scripted language model with OpenAI’s API, for an agent without a key; adds OPENAI_BASE_URL and OPENAI_API_KEY',
    },
    empty: { help: 'Without the sample customer, who has the number +14155550100 and owes two invoices' },
  },
  details: [
    `Prints base addresses and test credentials as lines for an environment file, or writes them to the file of --write. The other commands read ${sandboxFile} by themselves. It listens on 127.0.0.1 only.`,
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations sandbox --write .env.sandbox',
      says: 'Into a file that node --env-file reads',
    },
    { command: 'npx voice-agent-integrations sandbox --model --write .env.sandbox', says: 'With a scripted model' },
    {
      command:
        'npx voice-agent-integrations sandbox --crm salesforce --fault billing.payments.create=503,drop --billing-port 4010',
      says: 'With Salesforce, and a first payment that needs three attempts',
    },
  ],
  runsUntilInterrupted: true,
  run: async (given, terminal) => {
    const dialects = {
      messaging: readDialect(given, 'messaging', ['intercom', 'zendesk']),
      crm: readDialect(given, 'crm', ['salesforce', 'hubspot']),
      billing: readDialect(given, 'billing', ['stripe']),
    };
    const file = given.text('write');
    if (file !== undefined) assertMayWrite(file, terminal);
    const { startSandbox } = await import('./start.ts');
    const { variables, close } = await startSandbox({
      dialects,
      ports: readPorts(given),
      faults: given.texts('fault'),
      modes: given.texts('mode'),
      model: given.flag('model'),
      empty: given.flag('empty'),
      onWrite: terminal.note,
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
      throw cannotBeDone(`can't listen on the port: ${error.message}`, 'leave it out, or name another one');
    });
    const written = file === undefined ? undefined : writeEnvFile(file, variables, terminal);
    if (given.flag('json')) terminal.print(JSON.stringify(variables));
    else if (file === undefined)
      for (const [name, value] of Object.entries(variables)) terminal.print(`${name}=${value}`);
    const where = file === undefined ? '' : ` Its variables are in ${file}.`;
    terminal.note(`The sandbox is running.${where} Ctrl-C ends it.`);
    await terminal.interrupted();
    written?.remove();
    await close();
    return exitCodes.ok;
  },
};

const readDialect = <const Preset extends string>(
  given: Given,
  option: string,
  presets: readonly Preset[],
): Preset | 'default' => {
  const value = given.text(option) ?? 'default';
  const preset = presets.find((one) => one === value);
  if (preset) return preset;
  if (value === 'default') return 'default';
  throw wrongUsage(`--${option} must be default or ${presets.join(' or ')}`);
};

const readPorts = (given: Given): Partial<Record<ApiName, number>> =>
  Object.fromEntries(
    (['messaging', 'crm', 'billing'] as const).flatMap((api) => {
      const port = given.wholeNumber(`${api}-port`);
      if (port === undefined) return [];
      if (port > 65_535) throw wrongUsage(`--${api}-port must be at most 65535`);
      return [[api, port]];
    }),
  );
