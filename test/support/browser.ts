import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe } from 'vitest';
import { findProgram } from './server-process.ts';

const program = findProgram('chromium');

/**
 * `describe` for tests in a real browser; skipped by name where Chromium is not installed. With `REQUIRE_BROWSER` in the
 * environment that is an error instead, so that a skipped suite doesn't look like a passed one.
 */
export const describeWithBrowser = (title: string, suite: () => void): void => {
  if (!program && process.env.REQUIRE_BROWSER) throw new Error(`${title} needs chromium, which is not installed`);
  const why = program ? '' : ' (skipped: chromium is not installed)';
  describe.skipIf(!program)(`${title}${why}`, () => {
    suite();
  });
};

/** A headless browser that sends no requests by itself. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program ?? 'chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A foreign name that leads to this machine, as in DNS rebinding.
      '--host-resolver-rules=MAP rebind.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });

/** A page of its own, and what went wrong in it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** The warnings and errors of the browser's own console. */
  readonly complaints: readonly string[];
}

export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 820 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
};
