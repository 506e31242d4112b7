import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runPage } from './support/run-page.ts';
import { serve } from './support/serve.ts';
import { freePort } from './support/server-process.ts';

const folder = fileURLToPath(new URL('../docs/voice-platforms/', import.meta.url));
const textOf = (page: string) => readFileSync(`${folder}${page}`, 'utf8');

const guides = globSync('*.md', { cwd: folder })
  .filter((page) => page !== 'README.md' && textOf(page).includes('```'))
  .toSorted();

/** Where a guide registers the tools. */
const platforms: Readonly<Record<string, string>> = {
  'bland.md': 'https://api.bland.ai',
  'elevenlabs.md': 'https://api.elevenlabs.io',
  'retell.md': 'https://api.retellai.com',
  'telnyx.md': 'https://api.telnyx.com',
  'vapi.md': 'https://api.vapi.ai',
};

test.each(guides)('after the index, %s does and prints what it says', async (page) => {
  const registered: string[] = [];
  await using platform = await serve(async (request) => {
    registered.push(await request.text());
    return Response.json({ id: 'tool_1' });
  });

  const ran = await runPage(`${textOf('README.md')}\n${textOf(page)}`, {
    replace: { 3000: String(await freePort()), '…': 'test', [platforms[page] ?? 'no platform']: platform.url },
  });

  const compared = ran.flatMap(({ printed, shown }) =>
    shown ? [{ printed: printed.trim(), shown: shown.trim() }] : [],
  );
  expect(compared.length).toBeGreaterThan(0);
  for (const { printed, shown } of compared) expect(printed).toMatch(asShown(shown));
  // What isn't sent to the platform is printed for its form.
  const definitions = registered.length > 0 ? registered.join() : ran.at(-1)?.printed;
  expect(definitions).toContain('lookup_customer_invoices');
  expect(definitions).toContain('create_payment');
  expect(registered.length > 0).toBe(page in platforms);
});

/** Where a page shows `…`, anything may be. */
const asShown = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );
