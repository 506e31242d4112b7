/**
 * Takes the pictures of docs/console.md from the demo, with Chromium: `node --import ./scripts/from-source.js scripts/console-pictures.ts`.
 * They are in the package: `pngquant --nofs --speed 1 --force --ext .png 16 docs/images/console-*.png` makes each a fifth as large.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openPage, startBrowser } from '../test/support/browser.ts';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

const demo = spawn(
  process.execPath,
  ['--import', './scripts/from-source.js', 'src/dev/cli/main.ts', 'console', '--demo'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);

/** The first line says where the console is. */
const readUrl = async (): Promise<string> => {
  for await (const line of createInterface(demo.stdout)) {
    const url = /^The console is at (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the demo ended before the console was there');
};

/** What is opened in each view before its picture is taken. */
const views: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'phone-calls': async (page) => {
    // The last one, when it's over.
    await page.getByRole('heading', { name: 'CA-4001' }).waitFor();
    await page.locator('.row', { hasText: 'crm.tasks.create' }).first().waitFor();
  },
  endpoints: (page) => page.locator('summary.grid', { hasText: 'billing.invoices.listOpen' }).click(),
  protection: (page) => page.locator('#view-protection').getByText('paused for').first().waitFor(),
  outbox: (page) => page.locator('.letter summary').first().click(),
  tools: async (page) => {
    const tool = page.locator('.tool-entry', { has: page.getByText('create_payment', { exact: true }) });
    await tool.locator('summary').click();
    await tool.getByRole('button', { name: 'Check' }).click();
    await tool.getByText('amount must be').waitFor();
  },
};

const browser = await startBrowser();
try {
  const url = await readUrl();
  const take = async (name: string, view: string, options: Parameters<typeof openPage>[1]) => {
    await using opened = await openPage(browser, options);
    const { page } = opened;
    await page.goto(`${url}#${view}`);
    await views[view]?.(page);
    await page.screenshot({ path: `${images}console-${name}.png`, animations: 'disabled' });
  };
  const viewport = { width: 1080, height: 700 };
  for (const view of Object.keys(views)) await take(view, view, { viewport, colorScheme: 'light' });
  await take('dark', 'phone-calls', { viewport, colorScheme: 'dark' });
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await once(demo, 'exit');
}
