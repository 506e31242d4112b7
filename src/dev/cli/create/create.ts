import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command, Given } from '../command.ts';
import { unknownWord, wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { type ChoiceName, type Chosen, choices } from './choices.ts';

const listed = (name: ChoiceName) => {
  const [first = '', ...others] = Object.keys(choices[name]);
  const usual = first === 'default' ? first : `${first} (default)`;
  return `${[usual, ...others.slice(0, -1)].join(', ')} or ${others.at(-1)}`;
};

export const create: Command = {
  name: 'create',
  summary: 'Write a starter into a new folder: an agent behind HTTP, with its tools, its systems and a webhook.',
  positionals: [{ name: 'FOLDER', help: 'where to write it; it must be empty, or not be there yet' }],
  options: {
    framework: { value: 'NAME', help: `The web framework: ${listed('framework')}` },
    model: { value: 'NAME', help: `Whose package the model is called with: ${listed('model')}` },
    messaging: { value: 'NAME', help: `The messaging platform: ${listed('messaging')}` },
    crm: { value: 'NAME', help: `The CRM: ${listed('crm')}` },
    billing: { value: 'NAME', help: `The billing API: ${listed('billing')}` },
  },
  details: [
    'The choice default is for systems of your own that speak the default API. The code is yours: plain TypeScript that Node 22.18 or newer runs, and a README that says how to start it. Secrets for your voice platform and the webhook are made up and written to .env.',
  ],
  examples: [
    { command: 'npx voice-agent-integrations create my-agent', says: 'Express and OpenAI, for systems of your own' },
    {
      command:
        'npx voice-agent-integrations create my-agent --framework hono --model anthropic --messaging intercom --crm hubspot --billing stripe',
      says: 'Hono and Anthropic, for three platforms',
    },
  ],
  run: async (given, terminal) => {
    const chosen: Chosen = {
      framework: read(given, 'framework'),
      model: read(given, 'model'),
      messaging: read(given, 'messaging'),
      crm: read(given, 'crm'),
      billing: read(given, 'billing'),
    };
    const [typed = ''] = given.positionals;
    const folder = resolve(terminal.cwd, typed);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw wrongUsage(`${typed} is not empty`, 'name a folder that is not there yet');
    const { writeStarter } = await import('./write-starter.ts');
    const files = await writeStarter(folder, nameOf(folder), chosen);
    if (given.flag('json')) terminal.print(JSON.stringify({ folder, files, ...chosen }));
    else printNext(typed, chosen, files.length, terminal);
    return exitCodes.ok;
  },
};

const read = (given: Given, name: ChoiceName): string => {
  const known = Object.keys(choices[name]);
  const value = given.text(name) ?? known[0] ?? '';
  if (known.includes(value)) return value;
  const listed = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  throw unknownWord(`--${name} must be ${listed}`, { typed: value, words: known, otherwise: 'see create --help' });
};

/** The form of a name that npm takes. */
const nameOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'voice-agent';

const printNext = (folder: string, { model }: Chosen, files: number, { print }: Terminal): void => {
  const [key] = choices.model[model]?.variables ?? [];
  print(`Wrote ${files} files to ${folder}. Next:`);
  print('');
  print(`  cd ${folder}`);
  print('  npm install');
  print('  npm run systems     three systems on this machine, until Ctrl-C');
  print(`  npm start           in a second terminal, with ${key?.name} in .env`);
  print('  npm run call        in a third one: type what the caller says');
};
