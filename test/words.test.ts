import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** What plain developer English says in another way, and how. */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwho(m)?ever\b/i, 'anyone who, the person who, users'],
  [/(?<!isOf)nobody|nobodies/i, 'no one; better, say what does not happen'],
  [/\bsomebody\b/i, 'someone, a caller, a user'],
  [/\bhears\b/i, 'receives, gets, listens'],
  [/\b(is|are|was|were|be|been|being|gets) told\b/i, 'gets, receives, sees'],
  [/\btells\b/i, 'says, emits, reports, shows'],
  [/\b(stands(?! in for)|stood|standing)\b/i, 'is, stays, is written'],
  [/\beverybody\b/i, 'everyone, all calls, all customers'],
  [/\bbears\b/i, 'has, holds'],
  [/\bthe other one\b/i, 'name it'],
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

/** Any of them, so that a line without one is read once. */
const suspicious = new RegExp([...phrases, ...names].map(([{ source }]) => source).join('|'), 'i');

const root = new URL('../', import.meta.url);

const findingsIn = (file: string, text: string): string[] => {
  const known = allowed.filter(([name]) => name === file).reduce((rest, [, quote]) => rest.replaceAll(quote, ''), text);
  return known.split('\n').flatMap((line, index) =>
    (suspicious.test(line) ? [...phrases, ...(/\.[jt]s$/.test(file) ? names : [])] : []).flatMap(
      ([phrase, instead]) => {
        const [found] = phrase.exec(line) ?? [];
        return found === undefined ? [] : [`${file}:${index + 1} "${found}": ${instead}`];
      },
    ),
  );
};

const files = globSync(
  [
    '{src,templates,test,examples,scripts,bench,docs,site}/**/*.{ts,js,md,svg,html,yml,json,css}',
    '{README,CONTRIBUTING,SECURITY,CHANGELOG}.md',
    'package.json',
    'llms.txt',
    '*.ts',
  ],
  { cwd: root, exclude: (path) => /node_modules|site\/public|starters\/out|package-lock/.test(path) },
)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file !== 'test/words.test.ts')
  .toSorted();

test('code, tests and pages are in plain words', async () => {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(new URL(file, root), 'utf8')] as const),
  );

  expect(files.length).toBeGreaterThan(500);
  expect(texts.flatMap(([file, text]) => findingsIn(file, text))).toEqual([]);
  expect(
    allowed.filter(([file, quote]) => !texts.some(([name, text]) => name === file && text.includes(quote))),
  ).toEqual([]);
});
