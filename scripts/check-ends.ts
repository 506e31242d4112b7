/** `npm run check:ends` fails when our code or pages use what ends within 90 days. A release and a week run it, no test. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endPhrase, endsWithin } from '../src/dev/cli/platforms/ends.ts';
import type { Platform } from '../src/dev/cli/platforms/platform.ts';
import { platforms } from '../src/dev/cli/platforms/platforms.ts';
import { ownText } from './platform-pages.ts';

/** One sentence for each fact: what ends, and the files that use it. */
export const endProblems = (
  all: readonly Platform[],
  texts: ReadonlyMap<string, string>,
  today: Date,
): readonly string[] =>
  all.flatMap(({ title, ends }) =>
    endsWithin(mostDays, ends, today).flatMap((end) => {
      const files = [...texts].flatMap(([file, text]) => (end.inText?.test(text) ? [file] : []));
      if (files.length === 0) return [];
      return [
        `${title}: ${end.what} ${endPhrase(end, today)}, and ${files.join(', ')} use it: take ${end.instead} (${end.source.url}).`,
      ];
    }),
  );

/** The files that users read or run, without what is written from the facts. */
export const ownFiles = (): ReadonlyMap<string, string> =>
  new Map(
    globSync(['README.md', 'docs/**/*.md', '{src,templates,examples}/**/*.ts'], {
      cwd: root,
      exclude: (path) => path.includes('node_modules'),
    })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !/^(?:docs\/(?:decisions\/|migrating\.md|ends\.md)|src\/dev\/cli\/platforms\/)/.test(file))
      .toSorted()
      .map((file) => [file, ownText(readFileSync(`${root}${file}`, 'utf8'))]),
  );

const root = fileURLToPath(new URL('../', import.meta.url));

const mostDays = 90;

if (import.meta.main) {
  const problems = endProblems(Object.values(platforms), ownFiles(), new Date());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`Nothing that is used here ends within ${mostDays} days.`);
}
