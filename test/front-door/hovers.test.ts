import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const inRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const file = inRoot('test/front-door/hovered.ts');
const mark = '/*?*/';

/** What an editor shows at each mark: the name with its type, and the text. */
const hoversIn = (
  text: string,
): readonly { readonly name: string; readonly shown: string; readonly words: string }[] => {
  const { config } = ts.readConfigFile(inRoot('tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file], include: [] }, ts.sys, inRoot('.'));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const found = ts.sys.readFile(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => inRoot('.'),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
  });
  return [...text.matchAll(/\/\*\?\*\/ /g)].map(({ index }) => {
    const info = service.getQuickInfoAtPosition(file, index + mark.length + 1);
    const tags = info?.tags?.filter(({ name }) => name === 'defaultValue') ?? [];
    const [name = ''] = /\w+/.exec(text.slice(index + mark.length)) ?? [];
    return {
      name,
      shown: shortened(ts.displayPartsToString(info?.displayParts).replaceAll(/\s+/g, ' ')),
      words: [
        ts.displayPartsToString(info?.documentation),
        ...tags.map((tag) => `@defaultValue ${ts.displayPartsToString(tag.text)}`),
      ].join('\n'),
    };
  });
};

const shortened = (text: string) => (text.length > 140 ? `${text.slice(0, 140)}…` : text);

const hovers = hoversIn(readFileSync(file, 'utf8'));

test('an editor shows what each option of the front door does', async () => {
  const isOption = ({ shown }: { readonly shown: string }) =>
    !/^(?:await using|const) |^\(parameter\) state/.test(shown);
  const text = hovers.map(({ name, shown, words }) =>
    `${name}: ${shown}\n${words.trim().replaceAll(/^/gm, '  ')}`.trimEnd(),
  );

  expect(hovers.length).toBeGreaterThan(90);
  expect(hovers.filter((hover) => isOption(hover) && hover.words.trim() === '')).toEqual([]);
  await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('hovers.txt');
});

test('what a program holds has a short name', () => {
  const shown = hovers.map((hover) => hover.shown);

  for (const name of [
    'const integration: Integration',
    'const phoneCall: PhoneCall',
    'const tools: Toolbox',
    'const turn: Turn',
    'const calls: LiveCalls<{ said: number; }>',
    'const call: LiveCall<{ said: number; }>',
    'await using tenant: Tenant',
  ])
    expect(shown).toContain(name);
});
