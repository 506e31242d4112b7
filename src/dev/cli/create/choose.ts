import type { Given } from '../command.ts';
import { unknownWord, wrongUsage } from '../command-error.ts';
import type { Terminal } from '../terminal.ts';
import { type ChoiceName, type Chosen, choices, isLiveKit } from './choices.ts';

/** Reads what was chosen by options, and asks a person at a keyboard for the rest. Elsewhere the defaults are taken. */
export const choose = async (given: Given, terminal: Terminal): Promise<Chosen> => {
  for (const name of names) assertKnown(name, given.text(name));
  const read = async (name: ChoiceName): Promise<string> => {
    const [first = ''] = known(name);
    return given.text(name) ?? (given.flag('json') ? first : ask(name, terminal));
  };
  const framework = await read('framework');
  const model = isLiveKit({ framework }) ? onlyOpenAI(given.text('model')) : await read('model');
  return {
    framework,
    model,
    messaging: await read('messaging'),
    crm: await read('crm'),
    billing: await read('billing'),
  };
};

const names = ['framework', 'model', 'messaging', 'crm', 'billing'] as const;

const known = (name: ChoiceName): readonly string[] => Object.keys(choices[name]);

/** The words in an option's help and in a refusal. */
export const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

const assertKnown = (name: ChoiceName, typed: string | undefined): void => {
  const words = known(name);
  if (typed === undefined || words.includes(typed)) return;
  throw unknownWord(`--${name} must be ${listed(words)}`, { typed, words, otherwise: 'see create --help' });
};

const onlyOpenAI = (typed = 'openai'): string => {
  if (typed === 'openai') return typed;
  throw wrongUsage('--framework livekit speaks with openai', 'leave --model out, and change the model in its code');
};

/** Asks until it's one of them, by name or number. Nothing typed is the first one. */
const ask = async (name: ChoiceName, terminal: Terminal): Promise<string> => {
  const words = known(name);
  const [first = ''] = words;
  const lines = words.map((word, index) => `  ${index + 1}  ${word.padEnd(11)}${choices[name][word]?.says}`);
  for (;;) {
    const typed = await terminal.ask(['', `${titles[name]}:`, ...lines, `[${first}] `].join('\n'));
    const word = typed === undefined || typed === '' ? first : (words[Number(typed) - 1] ?? typed);
    if (words.includes(word)) return word;
    terminal.note(`Type ${listed(words)}, or a number.`);
  }
};

export const titles: Readonly<Record<ChoiceName, string>> = {
  framework: 'The framework',
  model: 'Whose package the model is called with',
  messaging: 'The messaging platform',
  crm: 'The CRM',
  billing: 'The billing API',
};
