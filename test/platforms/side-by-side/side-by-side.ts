import { readFile } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { IntegrationError } from '../../../src/core/errors.ts';
import { type Reply, startFaultServer } from '../../support/fault-server.ts';

/** One fault, met by the vendor's client and by ours with the same script. */
export interface Comparison {
  readonly fault: string;
  /** The fault, made separately for each side. */
  readonly server: () => readonly [Reply, ...Reply[]];
  readonly theirs: Side;
  readonly ours: Side;
}

interface Side {
  readonly script: (baseUrl: string) => Promise<unknown>;
  /** What is seen, in the words of {@link seen}. */
  readonly does: Seen;
  /** The same on the page. */
  readonly reads: string;
}

interface Seen {
  /** The requests that came in; those to read, {@link inShort}. */
  readonly sent: readonly string[];
  readonly ended: string;
}

/** How long the clients are given where a script says so; twenty times as long is taken for never. */
export const limitMs = 300;
const neverMs = 20 * limitMs;

/** Runs both sides of each comparison, and holds the page's table to what was seen. */
export const compare = (
  page: { readonly section: string; readonly columns: string },
  comparisons: readonly Comparison[],
) => {
  describe.concurrent.each(comparisons)('$fault', ({ server, theirs, ours }) => {
    test('the vendor’s client does what the page says of it', async () => {
      expect(await seen(theirs.script, server())).toEqual(theirs.does);
    });

    test('ours does what the page says of it', async () => {
      expect(await seen(ours.script, server())).toEqual(ours.does);
    });
  });

  test('the page’s table says this and no more', async () => {
    const text = await readFile(new URL('../../../docs/side-by-side.md', import.meta.url), 'utf8');
    const section = text.split('\n## ').find((part) => part.startsWith(page.section)) ?? '';

    expect(section.split('\n').filter((line) => line.startsWith('|'))).toEqual([
      page.columns,
      '| --- | --- | --- |',
      ...comparisons.map(({ fault, theirs, ours }) => `| ${fault} | ${theirs.reads} | ${ours.reads} |`),
    ]);
  });
};

const seen = async (script: Side['script'], replies: readonly [Reply, ...Reply[]]): Promise<Seen> => {
  await using server = await startFaultServer(...replies);
  const ended = await Promise.race([
    script(server.origin).then(() => 'done', inWords),
    after(neverMs, 'still waiting', { ref: false }),
  ]);
  return {
    sent: server.requests.map(
      ({ method, url }) => `${method} ${inShort(decodeURIComponent(url.replaceAll('+', ' ')))}`,
    ),
    ended,
  };
};

/** Which fields a query asks for, and in which order, is not compared. */
const inShort = (url: string) => url.replace(/(?<=q=)SELECT .+? FROM/, 'SELECT … FROM').replace(/ ORDER BY .+/, '');

/** What a program can tell from the error, without reading its sentence. */
const inWords = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { statusCode, errorCode } = error as { statusCode?: number; errorCode?: string };
  if (!(error instanceof IntegrationError))
    return [error.constructor.name, statusCode, errorCode].filter((word) => word !== undefined).join(' ');
  const { name, outcome, codes = [], retryAfterMs } = error;
  const { reason, status } = error as { reason?: string; status?: number };
  const hint = retryAfterMs === undefined ? [] : ['retryAfterMs'];
  return [name, reason, status, ...codes, outcome, ...hint].filter((word) => word !== undefined).join(' ');
};
