import { dirname } from 'node:path';
import { blocksOf } from '../support/page-blocks.ts';
import { runCommand } from '../support/run-command.ts';

/** What a reader of a page has seen and has. */
export interface Followed {
  /** What each run printed, and what the page shows. */
  readonly runs: readonly { readonly printed: string; readonly shown: string }[];
}

const ruler = '--- the next block';

/**
 * Does what a page says, from an empty folder, as one session in one shell: blocks of commands are typed, blocks that name
 * a file are saved under that name, and a block of text is what the commands before it must have printed. `packages`
 * are installed in place of those that the page names. The files as they are at each run are kept in `kept` of the folder: `1`, `2` ...
 * and, with what the page changes afterwards, `end`.
 */
export const follow = async (markdown: string, folder: string, packages: string): Promise<Followed> => {
  const blocks = blocksOf(markdown);
  const shown: string[] = [];
  const keep = (name: string | number) => `mkdir -p '${folder}/kept/${name}'; cp *.ts '${folder}/kept/${name}'`;
  const session = blocks.flatMap(({ language, code, file }, index) => {
    if (language === 'ts' && file !== undefined)
      return [`cat > ${file} <<'end of file'\n${code.trimEnd()}\nend of file`];
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    if (next?.language !== 'text') return [installing(code, packages)];
    shown.push(next.code);
    return [keep(shown.length), `echo '${ruler}'`, code, `echo '${ruler}'`];
  });
  const printed = await runCommand('sh', ['-e', '-c', [...session, keep('end')].join('\n')], {
    cwd: folder,
    timeoutMs: 300_000,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
  });
  const parts = printed.split(`${ruler}\n`);
  return { runs: shown.map((text, run) => ({ printed: parts[2 * run + 1] ?? '', shown: text })) };
};

/** npm asks for what it has not downloaded before, and this package is not asked for at all. */
const installing = (commands: string, packages: string) =>
  commands.replaceAll(
    'npm install voice-agent-integrations openai',
    `npm install --prefer-offline --no-audit ${packages}`,
  );
