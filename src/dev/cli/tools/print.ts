import type { IntegrationOptions } from '../../../integration.ts';
import type { Command } from '../command.ts';
import { unknownWord, wrongUsage } from '../command-error.ts';
import { configOption, findConfiguration } from '../configuration.ts';
import { exitCodes } from '../exit-codes.ts';
import { countTokens } from './count-tokens.ts';
import { type Target, targets } from './targets.ts';

export const toolsPrint: Command = {
  name: 'tools print',
  summary: 'Print the definitions of a phone call’s tools as a model’s provider gets them, and their tokens.',
  options: {
    target: { value: 'NAME', help: Object.keys(targets).join(', ') },
    url: { value: 'URL', help: 'Where a platform reaches your handler (default: https://agent.example.com/tools)' },
    ...configOption,
  },
  details: [
    'With a configuration, its clients and own tools; without one, all tools. Sends nothing. Tokens are counted by gpt-tokenizer if it is installed, else estimated as a third of the characters.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations tools print --target openai-realtime',
      says: 'For a session of OpenAI Realtime',
    },
  ],
  run: async (given, terminal) => {
    const name = given.text('target');
    const target = readTarget(name);
    const configuration = await findConfiguration(given, terminal);
    const { definitionsFor } = await import('./definitions.ts');
    const url = given.text('url') ?? 'https://agent.example.com/tools';
    const options = (await configuration?.options()) ?? (await everything());
    const { definitions, leftOut } = await definitionsFor(target, { options, url });
    const text = JSON.stringify(definitions);
    const { tokens, by } = await countTokens(text, terminal.cwd);
    if (given.flag('json')) {
      terminal.print(
        JSON.stringify({ target: name, tokens, tokensBy: by, characters: text.length, definitions, leftOut }),
      );
      return exitCodes.ok;
    }
    terminal.print(JSON.stringify(definitions, null, 2));
    const who = by === 'estimate' ? 'estimated: install gpt-tokenizer to count them' : `counted by ${by}`;
    terminal.note(`${tokens} tokens (${who}), ${text.length} characters`);
    if (leftOut.length > 0)
      terminal.note(`left out: ${leftOut.map(({ name, needs }) => `${name} (needs ${needs})`).join(', ')}`);
    return exitCodes.ok;
  },
};

const readTarget = (name: string | undefined): Target => {
  const names = Object.keys(targets);
  if (name === undefined) throw wrongUsage('tools print needs --target', names.join(', '));
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target) return target;
  throw unknownWord(`there is no target "${name}"`, { typed: name, words: names, otherwise: names.join(', ') });
};

/** Clients that are never used: they decide which tools there are. */
const everything = async (): Promise<IntegrationOptions> => {
  const { bearer } = await import('../../../auth/secret-credential.ts');
  const connection = { baseUrl: 'https://example.com', authenticate: bearer(() => '') };
  return {
    messaging: { ...connection, platform: 'Acme', version: '1.0', adminId: 'admin' },
    crm: { ...connection, version: '60.0' },
    billing: { ...connection, version: 'in-base-url' },
    payments: { card: () => 'pm_on_file', below: 5000 },
  };
};
