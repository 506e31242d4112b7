import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subpaths } from '../../scripts/subpaths.js';
import { addressOf } from '../../site/address.ts';
import { tableOfContents } from '../../site/contents.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { describeWithBrowser, type OpenPage, openPage, startBrowser } from '../support/browser.ts';
import { contrastsOfTexts, styleOf } from '../support/in-the-page.ts';
import { runCommand } from '../support/run-command.ts';
import { makeScratchFolder, type ScratchFolder } from '../support/scratch-folder.ts';
import type { Served } from '../support/serve.ts';
import { serveFolder } from '../support/serve-folder.ts';
import { readSiteLinks, type SiteLinks } from '../support/site-links.ts';

const root = new URL('../../', import.meta.url);
const contents = tableOfContents(root);
const addresses = contents.flatMap(({ pages }) => pages.map(({ path }) => addressOf(path)));
const written = addresses.filter((address) => !/^decisions\/\d/.test(address));
const typical = [
  'reference/voice-agent-integrations.html',
  'reference/voice-agent-integrations/webhooks.html',
  'reference/voice-agent-integrations/createIntegration.html',
  'reference/voice-agent-integrations/ConnectionOptions.html',
  'reference/voice-agent-integrations/IntegrationError.html',
  'examples/tools/payment.ts.html',
];
const narrow = { viewport: { width: 400, height: 800 } };
const wide = { viewport: { width: 1280, height: 800 } };
/** A window of 1440 pixels without its scroll bar. */
const usual = { viewport: { width: 1425, height: 900 } };
/** What a reader types, and the page that comes first. */
const searches: readonly [words: string, address: string][] = [
  ['payment', 'recipes/take-a-payment.html'],
  ['create_payment', 'recipes/take-a-payment.html'],
  ['retry', 'middleware.html'],
  ['timeout', 'middleware.html'],
  ['idempotency', 'clients.html'],
  ['outbox', 'outbox.html'],
  ['confirm', 'confirmation.html'],
  ['webhook signature', 'webhooks.html'],
  ['wehbook', 'webhooks.html'],
  ['test my agent', 'recipes/test-your-agent.html'],
  ['how do I verify a caller', 'verification.html'],
  ['Zendesk token', 'zendesk.html'],
  ['migrate', 'migrating.html'],
  ['vapi', 'voice-platforms/vapi.html'],
  ['Invoice', 'reference/voice-agent-integrations/billing/Invoice.html'],
  ['createIntegration', 'reference/voice-agent-integrations/createIntegration.html'],
  ['bearer', 'reference/voice-agent-integrations/auth/bearer.html'],
  ['takePayment', 'reference/voice-agent-integrations/PhoneCallSteps.html'],
];
const darkBackground = 'rgb(20, 25, 28)';

describeWithBrowser('the documentation site', () => {
  let folder: ScratchFolder;
  let site: SiteLinks;
  let server: Served;
  let browser: Browser;

  beforeAll(async () => {
    folder = await makeScratchFolder();
    // Fails also for a warning, such as a docstring that links to nothing.
    await runCommand('npm', ['run', 'docs', '--', '--out', folder.path], {
      cwd: fileURLToPath(root),
      timeoutMs: 240_000,
    });
    site = readSiteLinks(folder.path);
    server = await serveFolder(folder.path);
    browser = await startBrowser();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await folder?.remove();
  });

  const open = async (address: string, options: Parameters<typeof openPage>[1] = {}): Promise<OpenPage> => {
    const opened = await openPage(browser, options);
    await visit(opened.page, address);
    return opened;
  };
  /** Until the page is shown, which its script does when it is ready. */
  const visit = async (page: Page, address: string) => {
    await page.goto(`${server.url}/${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  const openSearch = async (page: Page) => {
    await page.keyboard.press('/');
    return page.getByRole('listbox');
  };

  test('has every page and every subpath', () => {
    const reference = subpaths.map(({ specifier }) => `reference/${specifier}.html`);

    expect([...addresses, ...reference].filter((address) => !site.pages.includes(address))).toEqual([]);
    expect(site.pages).toContain('reference/voice-agent-integrations/auth/bearer.html');
    expect(site.pages).toContain('examples/tools/payment.ts.html');
  });

  test('has no dead link, no missing anchor, and nothing of another host', () => {
    expect(site.dead).toEqual([]);
    expect(site.foreign).toEqual([]);
  });

  test('every page fits 400 and 1280 pixels and shows 120 characters of code at 1440, complains of nothing, asks only its own host and says what it is', async () => {
    // The records and the exports are all made the same way.
    const many = site.pages.filter((address) => /^(?:decisions|reference)\//.test(address));
    const some = many.filter((_, index) => index % 100 === 0);
    const addresses = new Set([...written, ...some, ...typical]);
    await using opened = await openPage(browser, narrow);
    const { page, complaints } = opened;
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) elsewhere.push(`${response.url()}: ${response.status()}`);
    });

    const wrong: string[] = [];
    const cut: string[] = [];
    let widest = 0;
    const descriptions = new Set<string>();
    for (const address of addresses) {
      await visit(page, address);
      const seen = await page.evaluate(whatIsSeen);
      descriptions.add(seen.description);
      if (seen.width > 400) wrong.push(`${address} is ${seen.width} wide`);
      if (seen.headings !== 1) wrong.push(`${address} has ${seen.headings} headings of the first level`);
      if (!/^.+ \| voice-agent-integrations$/.test(seen.title) && address !== 'index.html')
        wrong.push(`${address}: ${seen.title}`);
      if (seen.description.length < 10) wrong.push(`${address} says nothing of itself`);

      await page.setViewportSize(usual.viewport);
      for (const { text, isCut } of await page.locator('body').evaluate(codeOf)) {
        const length = Math.max(...text.split('\n').map((line) => line.length));
        if (length > 120) continue;
        widest = Math.max(widest, length);
        if (isCut) cut.push(`${address}: ${text}`);
      }
      await page.setViewportSize(wide.viewport);
      const { width } = await page.evaluate(whatIsSeen);
      if (width > 1280) wrong.push(`${address} is ${width} wide at 1280`);
      await page.setViewportSize(narrow.viewport);
    }

    expect(wrong).toEqual([]);
    expect(cut).toEqual([]);
    expect(widest).toBeGreaterThan(115);
    expect(descriptions.size).toBe(addresses.size);
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  }, 120_000);

  test('the start page says what it is, and leads to a page and to an export', async () => {
    await using opened = await open('index.html');
    const { page } = opened;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('voice-agent-integrations');
    expect(await page.locator('meta[name=description]').getAttribute('content')).toContain('made for voice agents');

    const pages = page.getByRole('navigation', { name: 'Pages' });
    const openSections = pages.locator('details[open] > summary');
    expect(await openSections.allTextContents()).toEqual(['Start']);
    await pages.getByText('Platforms and APIs', { exact: true }).click();
    await pages.getByRole('link', { name: 'Clients', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
    expect(await pages.locator('[aria-current=page]').allTextContents()).toEqual(['Clients']);
    expect(await openSections.allTextContents()).toEqual(['Start', 'Platforms and APIs']);

    const reference = page.getByRole('navigation', { name: 'Reference' });
    await reference.getByRole('link', { name: 'auth', exact: true }).click();
    await reference.getByRole('link', { name: 'bearer', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Function bearer' }).waitFor();
    expect(await reference.locator('[aria-current=page]').allTextContents()).toEqual(['bearer']);
    expect(await pages.locator('[aria-current=page]').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  test('the start page shows the SDK: a sentence, what it works with, a picture, the code of the README, eight guides', async () => {
    await using opened = await open('index.html', usual);
    const main = opened.page.getByRole('main');
    const readme = readFileSync(new URL('README.md', root), 'utf8');
    const code = [...readme.matchAll(/```ts\n([^]+?)\n```/g)].map(([, block]) => block);
    const commands = [...readme.matchAll(/```sh\n([^]+?)\n```/g)].map(([, command]) => command);

    expect(await main.locator('h1 + p').textContent()).toBe(readme.split(/\n{2,}/)[1]);
    expect(await main.locator('.works-with p').first().textContent()).toBe(
      'Works with Intercom, Zendesk · Salesforce, HubSpot · Stripe · your own APIs.',
    );
    const shown = async (language: string) =>
      (await main.locator(`pre code.${language}`).allInnerTexts()).map((text) => text.trimEnd());
    expect(await shown('ts')).toEqual(code);
    expect(await shown('sh')).toEqual(commands);
    expect(await main.locator('.cards').getByRole('listitem').count()).toBe(8);
    await main.locator('.cards').getByRole('link', { name: 'Getting started', exact: true }).click();
    await opened.page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test.each([
    ['light', 'console-phone-calls.png'],
    ['dark', 'console-dark.png'],
  ] as const)('the picture of the start page is %s with the page', async (colorScheme, file) => {
    const other = colorScheme === 'light' ? 'dark' : 'light';
    await using preferred = await open('index.html', { colorScheme });
    await using chosen = await open('index.html', { colorScheme: other });
    await chosen.page.getByRole('heading', { name: 'Settings' }).click();
    await chosen.page.getByLabel('Theme').selectOption(colorScheme);

    for (const { page } of [preferred, chosen]) {
      const pictures = page.getByRole('img', { name: 'The console on your machine' });
      expect(await pictures.count()).toBe(1);
      expect(await pictures.getAttribute('src')).toContain(file);
      await expect.poll(() => pictures.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1080);
    }
  });

  test('the heading of a page on a code host leads to the same heading here', async () => {
    await using opened = await open('clients.html#options-of-one-request');

    const heading = opened.page.getByRole('heading', { name: 'Options of one request' });

    expect(
      await heading.evaluate(
        (element: { getBoundingClientRect(): { top: number } }) => element.getBoundingClientRect().top,
      ),
    ).toBeLessThan(200);
  });

  test('at 400 pixels the navigation opens over the page', async () => {
    await using opened = await open('index.html', narrow);
    const { page } = opened;
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Errors', exact: true });
    expect(await link.isVisible()).toBe(false);

    await page.getByRole('link', { name: 'Menu' }).click();
    await link.click();

    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    expect(await link.isVisible()).toBe(false);
  });

  test('a search finds first the page of a task, and an export or a field by its short name', async () => {
    await using opened = await open('errors.html');
    const { page } = opened;
    const results = await openSearch(page);
    const first: [words: string, address: string | null][] = [];
    for (const [words] of searches) {
      await page.getByRole('combobox').fill(words);
      await results.getByRole('option').first().waitFor();
      const address = await results.getByRole('option').first().getAttribute('href');
      first.push([words, address?.replace(/^.*\/site\/|#.*$|^\.\//g, '') ?? null]);
    }

    expect(first).toEqual(searches);
    expect(opened.complaints).toEqual([]);
  });

  test('a result says where it is and shows the words that were found', async () => {
    await using opened = await open('errors.html');
    const { page } = opened;
    const results = await openSearch(page);

    await page.getByRole('combobox').fill('signature timestamps');
    const section = results.getByRole('option', { name: 'Signatures and other checks' }).first();
    await section.waitFor();

    expect(await section.locator('.result-place').textContent()).toBe('Webhooks');
    expect(await section.locator('.result-excerpt').textContent()).toMatch(/\bsigna/);
    expect(await section.locator('mark').first().textContent()).toBe('Signatures');
  });

  test('the keyboard chooses a result, and takes the first without a choice', async () => {
    await using opened = await open('errors.html');
    const { page } = opened;
    const results = await openSearch(page);
    await page.getByRole('combobox').fill('outbox');
    await results.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await results.getByRole('option').nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/outbox.html*`);

    await openSearch(page);
    await page.getByRole('combobox').fill('Zendesk token');
    await results.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/zendesk.html*`);
    expect(opened.complaints).toEqual([]);
  });

  test('a search without a result says so, and every record leads to a place of the site', async () => {
    await using opened = await open('errors.html');
    const { page } = opened;
    await openSearch(page);

    await page.getByRole('combobox').fill('qwertzuiop');

    await page.getByText('Nothing found for “qwertzuiop”').waitFor();
    const urls = (await page.evaluate('searchRecords.map(({ url }) => url)')) as readonly string[];
    expect(urls.length).toBeGreaterThan(2_000);
    expect(urls.filter((url) => !site.has(url))).toEqual([]);
  });

  test('it is dark for those who like it dark, and for those who choose it, on every page', async () => {
    await using preferred = await open('clients.html', { colorScheme: 'dark' });
    expect(await preferred.page.locator('body').evaluate(styleOf, 'backgroundColor')).toBe(darkBackground);

    await using chosen = await open('clients.html', { colorScheme: 'light' });
    const { page } = chosen;
    expect(await page.locator('body').evaluate(styleOf, 'backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByRole('heading', { name: 'Settings' }).click();
    await page.getByLabel('Theme').selectOption('dark');
    expect(await page.locator('body').evaluate(styleOf, 'backgroundColor')).toBe(darkBackground);

    await visit(page, 'reference/voice-agent-integrations/auth.html');
    expect(await page.locator('body').evaluate(styleOf, 'backgroundColor')).toBe(darkBackground);
  });

  test.each(['light', 'dark'] as const)('all text can be read when it is %s', async (colorScheme) => {
    await using opened = await openPage(browser, { colorScheme });
    const faint: [address: string, text: string, contrast: number][] = [];
    for (const address of [
      'index.html',
      'clients.html',
      'errors.html',
      'reference/voice-agent-integrations/tools/defineTool.html',
    ]) {
      await visit(opened.page, address);
      const contrasts = await opened.page.locator('body').evaluate(contrastsOfTexts);
      expect(contrasts.length).toBeGreaterThan(20);
      faint.push(
        ...contrasts.flatMap(([text, contrast]): typeof faint => (contrast < 4.5 ? [[address, text, contrast]] : [])),
      );
    }

    expect(faint).toEqual([]);
  });

  const kinds = ['index.html', 'clients.html', 'reference/voice-agent-integrations/ConnectionOptions.html'];
  const more = ['getting-started.html', 'decisions/0003-idempotency-key-on-every-write.html', ...typical];
  test.each([
    ['light', { ...wide, colorScheme: 'light' }, new Set([...kinds, ...more])],
    ['dark', { ...wide, colorScheme: 'dark' }, kinds],
    ['400 pixels wide', narrow, kinds],
  ] as const)(
    'axe-core finds nothing wrong when it is %s',
    async (_how, options, addresses) => {
      await using opened = await openPage(browser, options);
      const problems: string[] = [];
      for (const address of addresses) {
        await visit(opened.page, address);
        problems.push(...(await accessibilityProblems(opened.page)).map((problem) => `${address}: ${problem}`));
      }
      const results = await openSearch(opened.page);
      await opened.page.getByRole('combobox').fill('payment');
      await results.getByRole('option').nth(5).waitFor();
      await opened.page.keyboard.press('ArrowDown');
      problems.push(...(await accessibilityProblems(opened.page)).map((problem) => `search: ${problem}`));
      expect((await opened.page.evaluate(whatIsSeen)).width).toBe(opened.page.viewportSize()?.width);

      expect(problems).toEqual([]);
    },
    60_000,
  );

  test('each page leads to the one before it and the one after it', async () => {
    await using opened = await open('concepts.html');
    const links = opened.page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link');

    expect(await links.allTextContents()).toEqual(['Getting started', 'Recipes']);
    await links.last().click();
    await opened.page.getByRole('heading', { level: 1, name: 'Recipes' }).waitFor();
  });

  test.each(['index.html', 'clients.html'])(
    'a keyboard and a screen reader find their way in %s: landmarks, a language, a way past the navigation',
    async (address) => {
      await using opened = await open(address);
      const { page } = opened;

      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      for (const role of ['banner', 'main', 'contentinfo'] as const) expect(await page.getByRole(role).count()).toBe(1);
      expect(await page.locator('img:not([alt])').count()).toBe(0);
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').textContent()).toBe('To the content');
      await page.keyboard.press('Enter');
      await page.waitForURL('**#content');
    },
  );
});

/** As much of a page as is looked at; it runs in the page. */
const whatIsSeen = () => {
  const { document } = globalThis as unknown as {
    document: {
      readonly title: string;
      readonly documentElement: { readonly scrollWidth: number };
      querySelectorAll(selector: string): { readonly length: number };
      querySelector(selector: string): { getAttribute(name: string): string | null } | null;
    };
  };
  return {
    title: document.title,
    width: document.documentElement.scrollWidth,
    headings: document.querySelectorAll('h1').length,
    description: document.querySelector('meta[name=description]')?.getAttribute('content') ?? '',
  };
};

/** The blocks of code of a page, and whether they hide a part of it; it runs in the page. */
const codeOf = (body: {
  querySelectorAll(selector: string): Iterable<{
    readonly scrollWidth: number;
    readonly clientWidth: number;
    readonly firstElementChild: { readonly innerText: string } | null;
  }>;
}) =>
  [...body.querySelectorAll('pre')].map(({ scrollWidth, clientWidth, firstElementChild }) => ({
    text: firstElementChild?.innerText.trimEnd() ?? '',
    isCut: scrollWidth > clientWidth,
  }));
