import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** What plain developer English says in another way, and how. */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwho(m)?ever\b/i, 'anyone who, the person who, users'],
  [/\bnobody\b/i, 'no one; better, say what does not happen'],
  [/\bsomebody\b/i, 'someone, a caller, a user'],
  [/\b(hears|heard)\b/i, 'receives, gets, listens'],
  [/\b(is|are|was|were|be|been|being|gets) told\b/i, 'gets, receives, sees'],
  [/\btells\b/i, 'says, emits, reports, shows'],
  [/\b(stands|stood|standing)\b/i, 'is, stays, is written'],
  [/\bbeside\b/i, 'next to, with, as well as'],
  [/\banew\b/i, 'again'],
  [/\bonce more\b/i, 'again'],
  [/\bbe had\b/i, 'is available, exists'],
  [/\bof (its|their|his|her) own accord\b/i, 'by itself, without being asked'],
  [/\b(is|are|was|were|be) away\b/i, 'is down, is unreachable'],
  [/\bin vain\b/i, 'without effect'],
  [/\bwhatever it be\b/i, 'whatever it is'],
  [/\b(lest|whilst|amongst|thereby|hence|thence)\b/i, 'or, while, among, so'],
  [/\b(makes|made) good\b/i, 'fixes'],
  [/\bnone but\b/i, 'only'],
  [/\bit (is|was) (the|a|an|only|not|what) [a-z' ]{1,30} that\b/i, 'say it directly'],
];

/** Names that newcomers had to learn, and the usual ones. */
const names: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\b\w*[tT]eller\b/, 'emitter'],
  [/\b(isHeard|IsHeard)\b/, 'hasListeners'],
  [/\bquietly\b|\w+Quietly\b/, 'ignoreErrors'],
  [/\bUntold\b/, 'EventInput'],
  [/\bBegun\b/, 'SpanStart'],
  [/\bmomentOf\b/, 'parseTimestamp'],
  [/\binsaneField\b/, 'implausibleField'],
  [/\b(bell|createBell)\b/, 'notifier'],
  [/\b(giveBack|onPlace)\b/, 'release'],
  [/\bopenings\b/, 'pendingOpens'],
  [/\bletGoInTime\b/, 'settleWithin'],
  [/\bbury\b/, 'moveToDeadLetters'],
  [/\bappetite\b/, 'batchSize'],
  [/\bvouched\w*\b/, 'verified'],
  [/\bsaidOnly\b/, 'claimed'],
  [/\bopenPost\b/, 'createDestinationWorker'],
];

/** Words that others chose: quotations, and names of other APIs. Each must still be there. */
const allowed: readonly (readonly [file: string, text: string])[] = [['test/support/postgres-server.ts', "'nobody'"]];

/** Folders with words to change, and how many. A number may only fall; without one, the folder has none. */
const notYetClean: Readonly<Record<string, number>> = {
  bench: 16,
  'bench/scale': 2,
  examples: 10,
  'examples/backends': 76,
  'examples/tools': 1,
  'examples/webhooks': 1,
  site: 3,
  'site/typedoc': 3,
  'src/console': 1,
  'src/stores': 3,
  'src/testing': 7,
  test: 1,
  'test/platforms': 2,
  'test/providers': 6,
  'test/testing': 8,
  'test/webhooks': 1,
};

/** Any of them, so that a line without one is read once. */
const suspicious = new RegExp([...phrases, ...names].map(([{ source }]) => source).join('|'), 'i');

const root = new URL('../', import.meta.url);

interface Finding {
  readonly folder: string;
  readonly line: string;
}

const findingsIn = (file: string, text: string): Finding[] => {
  const known = allowed.filter(([name]) => name === file).reduce((rest, [, quote]) => rest.replaceAll(quote, ''), text);
  return known.split('\n').flatMap((line, index) =>
    (suspicious.test(line) ? [...phrases, ...(/\.[jt]s$/.test(file) ? names : [])] : []).flatMap(
      ([phrase, instead]) => {
        const [found] = phrase.exec(line) ?? [];
        return found === undefined
          ? []
          : [{ folder: folderOf(file), line: `${file}:${index + 1} "${found}": ${instead}` }];
      },
    ),
  );
};

/** `src/http/...` is `src/http`, a file of `src` itself `src`. */
const folderOf = (file: string): string => {
  const [top = '', second, ...rest] = file.split('/');
  return second === undefined || rest.length === 0 ? top : `${top}/${second}`;
};

const files = globSync(
  [
    '{src,templates,test,examples,scripts,bench,docs,site}/**/*.{ts,js,md,svg,html}',
    '{README,CONTRIBUTING,SECURITY}.md',
    'llms.txt',
    '*.ts',
  ],
  { cwd: root, exclude: (path) => /node_modules|site\/public|starters\/out/.test(path) },
)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file !== 'test/words.test.ts')
  .toSorted();

test('code, tests and pages are in plain words', async () => {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(new URL(file, root), 'utf8')] as const),
  );
  const byFolder = Map.groupBy(
    texts.flatMap(([file, text]) => findingsIn(file, text)),
    ({ folder }) => folder,
  );
  const tooMany = [...byFolder].filter(([folder, findings]) => findings.length > (notYetClean[folder] ?? 0));

  expect(files.length).toBeGreaterThan(500);
  expect(tooMany.flatMap(([, findings]) => findings.map(({ line }) => line))).toEqual([]);
  expect(
    allowed.filter(([file, quote]) => !texts.some(([name, text]) => name === file && text.includes(quote))),
  ).toEqual([]);
});
