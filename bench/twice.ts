import { readFile, writeFile } from 'node:fs/promises';
import { installPackage } from '../test/support/install-package.ts';

interface Played {
  readonly row: { readonly name: string; readonly wanted: number };
  readonly way: { readonly name: string; readonly isOurs: boolean };
  readonly made: number | undefined;
}

/** What is next to the packages that it drives. */
interface Twice {
  readonly playAll: () => Promise<readonly Played[]>;
  readonly pageOf: (played: readonly Played[]) => string;
  readonly inReadme: (readme: string, played: readonly Played[]) => string;
}

const folder = new URL('../test/providers/', import.meta.url);

/** Plays what people have reported, with their tools and ours. Writes `docs/twice.md` and the table of the README. */
export const twice = async (): Promise<string> => {
  await installPackage(folder);
  const [{ playAll }, { pageOf, inReadme }] = (await Promise.all(
    ['twice/play.ts', 'twice/page.ts'].map((file) => import(new URL(file, folder).href)),
  )) as [Pick<Twice, 'playAll'>, Omit<Twice, 'playAll'>];
  const played = await playAll();
  const page = pageOf(played);
  await writeFile(new URL('../docs/twice.md', import.meta.url), page);
  const readme = new URL('../README.md', import.meta.url);
  await writeFile(readme, inReadme(await readFile(readme, 'utf8'), played));
  for (const { row, way, made } of played.filter((one) => one.way.isOurs && one.made !== one.row.wanted)) {
    console.log(`${way.name}, ${row.name}: ${made} instead of ${row.wanted}`);
    process.exitCode = 1;
  }
  return page;
};
