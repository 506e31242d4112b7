import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { channel } from 'node:diagnostics_channel';
import { accessibilityProblems } from '../../support/axe.ts';
import { describeWithBrowser, openPage, startBrowser } from '../../support/browser.ts';
import { setConsoleScene } from '../../support/console-scene.ts';
import { contrastsOfTexts, styleOf } from '../../support/in-the-page.ts';

const views = ['Phone calls', 'Endpoints', 'Protection', 'Outbox', 'Tools'];

describeWithBrowser('the console in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test('draws a phone call while it happens: the tool, its calls, each attempt, each wait and the deadline', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page, complaints } = opened;
    await page.goto(scene.url);
    await page.getByText('No phone call yet').waitFor();
    expect(new URL(page.url()).search).toBe('');

    await scene.playCall('CA1');

    await page.getByRole('heading', { name: 'CA1' }).waitFor();
    await page.locator('.row.tool').waitFor();
    const rows = await page
      .locator('.row')
      .evaluateAll((all) =>
        all.map((row) => [row.querySelector('.title')?.textContent, row.querySelector('.chip')?.textContent]),
      );
    expect(rows).toEqual([
      ['lookup_customer_invoices', 'done'],
      ['billing.customers.find', 'ok'],
      ['attempt 1', '200'],
      ['billing.invoices.listOpen', 'ok'],
      ['attempt 1', '503 · server error'],
      ['attempt 2', '200'],
    ]);
    await page.getByText(/waited .+ back-off/).waitFor();
    expect(await page.locator('.row .wait').count()).toBe(1);
    expect(await page.getByRole('meter', { name: 'Deadline' }).getAttribute('aria-valuetext')).toMatch(
      /^[\d.,]+ ms of 8,000 ms used$/,
    );

    await scene.playCall('CA2');
    await page.getByRole('heading', { name: 'CA2' }).waitFor();
    expect(await page.getByRole('navigation').getByRole('button').allTextContents()).toEqual([
      expect.stringMatching(/^CA2/),
      expect.stringMatching(/^CA1/),
      expect.stringMatching(/^Without a phone call/),
    ]);
    expect(complaints).toEqual([]);
  });

  test('a failure leads to its row, by a link that can be kept; retries are counted apart', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    scene.platform.fault('billing.customers.find', [{ status: 401 }]);
    await scene.playCall('CA1');
    await scene.playCall('CA2');
    await page.goto(scene.url);
    await page.getByRole('button', { name: /^CA2.+2 requests \+ 2 retries/ }).waitFor();

    await page.getByRole('button', { name: /^CA1/ }).click();
    const failures = page.locator('.failures').getByRole('link');
    await failures.filter({ hasText: 'billing.customers.find' }).click();

    const row = page.locator('.row[open]');
    await row.waitFor();
    expect(await row.locator('.title').textContent()).toBe('billing.customers.find');
    expect(await page.locator(':focus .title').textContent()).toBe('billing.customers.find');

    await page.reload();
    await row.waitFor();
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('CA1');
  });

  test('a chosen phone call stays, and one that happens meanwhile is listed', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.playCall('CA1');
    await page.goto(scene.url);
    await page.getByRole('button', { name: /^CA1/ }).click();
    await page.locator('.row.tool > summary').click();
    await page.getByText('resultChars').waitFor();

    await scene.playCall('CA2');

    await page.getByRole('button', { name: /^CA2/ }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('CA1');
    expect(await page.getByText('resultChars').isVisible()).toBe(true);
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['400 pixels wide', { viewport: { width: 400, height: 800 } }],
  ] as const)('axe-core finds nothing wrong in any view when it is %s', async (_how, options) => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser, options);
    const { page } = opened;
    await scene.playCall('CA1');
    await page.goto(scene.url);
    await page.getByRole('heading', { name: 'CA1' }).waitFor();
    await page.locator('.row.tool > summary').click();

    const problems: string[] = [];
    for (const name of views) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('main').waitFor();
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
    }

    expect(problems).toEqual([]);
  });

  test('long ids differ in the list, a long name leaves its badge whole, and an old link says where the new one is', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    const ids = ['1', '2'].map((end) => `v3:telephone-call-of-the-platform-000000000${end}`);
    for (const id of ids) await scene.playCall(id);
    await page.goto(scene.url);

    const names = page.locator('.entry .name');
    await page.getByRole('heading', { name: ids[1] ?? '' }).waitFor();
    expect(await names.allTextContents()).toEqual(['v3:telep…00000002', 'v3:telep…00000001', 'Without a phone call']);
    expect(await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)).toBe(0);

    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole('tab', { name: 'Tools' }).click();
    const heading = page.locator('#view-tools .card > h2').first();
    await heading.evaluate((one) => one.firstChild?.replaceWith('a-toolbox-with-a-very-long-name'.repeat(3)));
    const badge = heading.locator('.chip');
    const lineHeight = Number.parseFloat((await badge.evaluate(styleOf, 'lineHeight')) ?? '');
    expect((await badge.boundingBox())?.height).toBeLessThan(lineHeight * 2);

    await page.context().clearCookies();
    await page.goto(new URL('/?token=old', scene.url).href);
    await page.getByRole('heading', { name: "This link doesn't open the console" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('it reconnects after its server was down', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(scene.url);
    await page.getByText('live', { exact: true }).waitFor();
    await scene.close();
    await page.getByText('not connected').waitFor();
    await scene.playCall('CA-missed');

    await scene.local.listen({ port: Number(new URL(scene.origin).port), print: () => {} });

    await page.getByRole('heading', { name: 'CA-missed' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.locator('.row.tool .title').allTextContents()).toEqual(['lookup_customer_invoices']);
  });

  test('shows how often endpoints were used and how long they took', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page, complaints } = opened;
    await scene.playCall('CA1');
    await page.goto(`${scene.url}#endpoints`);

    const row = page.locator('summary.grid', { hasText: 'billing.invoices.listOpen' });
    await row.click();

    expect(await row.locator('[data-name=count]').textContent()).toBe('1');
    expect(await row.locator('[data-name=retried]').textContent()).toBe('1');
    expect(await row.locator('[data-name=success]').textContent()).toBe('100 %');
    expect(await page.locator('.more dl').getByText('back-off').count()).toBe(1);
    const chart = page.getByRole('img', { name: /^p50 .+ of 1 measurement$/ });
    expect(await chart.first().locator('rect[height="0"]').count()).toBe(13);
    expect(complaints).toEqual([]);
  });

  test('shows the breakers, and what changed', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${scene.url}#protection`);
    await page.getByText('No circuit breaker opened').waitFor();
    await scene.playCall('CA1');

    const at = Date.now();
    channel('voice-agent-integrations').publish({
      type: 'circuit',
      at,
      api: 'crm',
      operation: 'crm',
      callId: 'CA1',
      from: 'closed',
      to: 'open',
    });

    await page.getByText('during CA1').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'messaging',
      'crm',
      'billing',
      'Circuit breakers that have opened',
      'What changed',
    ]);
    expect(await page.locator('.line .chip').allTextContents()).toEqual(['1 open', 'opened: requests are refused']);

    await page.getByRole('link', { name: 'during CA1' }).click();
    await page.getByRole('heading', { name: 'CA1' }).waitFor();
    await expect.poll(() => page.locator('.row.note[open] .title').textContent()).toBe('circuit breaker of crm');
  });

  test('redrives a dead letter, and the receiver has it', async () => {
    await using scene = await setConsoleScene({ allowActions: true });
    await using opened = await openPage(browser);
    const { page, complaints } = opened;
    await scene.makeDeadLetter('CA1');
    await page.goto(`${scene.url}#outbox`);

    await page.getByRole('checkbox', { name: 'Choose call.completed for archive' }).check();
    await page.getByRole('button', { name: 'Redrive', exact: true }).click();

    await page.getByText('1 message will be delivered again.').waitFor();
    await page.getByText('Everything was delivered').waitFor();
    await vi.waitUntil(() => scene.archive.requests.length === 2);
    const [first, second] = scene.archive.requests;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(complaints).toEqual([]);
  });

  test('discards a dead letter after a confirmation', async () => {
    await using scene = await setConsoleScene({ allowActions: true });
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.makeDeadLetter('CA1');
    await page.goto(`${scene.url}#outbox`);
    const discard = async (answer: string) => {
      await page.getByRole('checkbox', { name: 'Choose call.completed for archive' }).check();
      await page.getByRole('button', { name: 'Discard…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: answer }).click();
    };

    await discard('Keep');
    expect(await scene.outbox.deadLetters.list()).toHaveLength(1);
    await discard('Discard');
    await page.getByText('1 message discarded.').waitFor();
    expect(await scene.outbox.deadLetters.list()).toEqual([]);
  });

  test('without allowed actions nothing can be pressed', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.makeDeadLetter('CA1');
    await page.goto(`${scene.url}#outbox`);

    await page.getByText('Actions are off').waitFor();
    expect(await page.getByRole('button', { name: 'Redrive all' }).isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: /^Choose/ }).isDisabled()).toBe(true);
  });

  test('shows a tool as a model sees it, and says what is wrong with arguments', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page, complaints } = opened;
    await page.goto(`${scene.url}#tools`);
    const tool = page.locator('.tool-entry', { has: page.getByText('create_payment', { exact: true }) });
    expect(await tool.locator('summary').textContent()).toMatch(/asks the caller|payment/);
    const descriptions = page.locator('.tool-entry .about');
    expect(await descriptions.count()).toBe(await page.locator('.tool-entry').count());
    for (const text of await descriptions.allTextContents()) expect(text.length).toBeGreaterThan(20);
    await tool.locator('summary').click();

    await tool.getByRole('textbox').fill('{"invoice_id":"inv_1","amount":0}');
    await tool.getByRole('button', { name: 'Check' }).click();
    await tool.getByText('amount must be greater than 0').waitFor();
    await tool.getByRole('textbox').fill('{"invoice_id":"inv_1","amount":120.5}');
    await tool.getByRole('button', { name: 'Check' }).click();
    await tool.getByText('These arguments fit.').waitFor();
    expect(scene.platform.requests).toEqual([]);

    await page.getByLabel('As they are given to').selectOption('Anthropic');
    await tool.getByText('What Anthropic is given').waitFor();
    expect(JSON.parse((await tool.locator('pre').textContent()) ?? '')).toMatchObject({
      name: 'create_payment',
      input_schema: { type: 'object' },
    });
    expect(complaints).toEqual([]);
  });

  test('can be used without a mouse', async () => {
    await using scene = await setConsoleScene({ allowActions: true });
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.playCall('CA1');
    await scene.makeDeadLetter('CA1');
    await page.goto(scene.url);
    await page.getByText('live', { exact: true }).waitFor();
    const focused = () => page.locator(':focus').textContent();

    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the view');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Phone calls');
    const seen = [];
    for (let step = 0; step < views.length; step += 1) {
      await page.keyboard.press('ArrowRight');
      seen.push([await focused(), await page.locator('[role=tabpanel]:visible').getAttribute('aria-labelledby')]);
    }
    expect(seen).toEqual([
      ['Endpoints', 'tab-endpoints'],
      ['Protection', 'tab-protection'],
      ['Outbox', 'tab-outbox'],
      ['Tools', 'tab-tools'],
      ['Phone calls', 'tab-phone-calls'],
    ]);
    expect(await page.locator(':focus').evaluate(styleOf, 'outlineStyle')).toBe('solid');

    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('button', { name: 'Redrive all' }).waitFor();
    while ((await page.locator('.letter input:focus').count()) === 0) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByText('1 of 1 chosen').waitFor();
    await page.getByRole('button', { name: 'Redrive', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 message will be delivered again.').waitFor();
  });

  test('fits 400 pixels, every view of it', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser, { viewport: { width: 400, height: 800 } });
    const { page, complaints } = opened;
    await scene.makeDeadLetter('CA1');
    await scene.playCall('CA-with-a-name-that-is-much-too-long-for-a-list-of-four-hundred-pixels');
    await page.goto(scene.url);
    await page.locator('.row.tool').waitFor();
    const widths: [string, number][] = [];
    for (const view of views) {
      await page.getByRole('tab', { name: view }).click();
      await page.locator('[role=tabpanel]:visible').locator('.card, .row').first().waitFor();
      for (const summary of await page.locator('summary:visible').all()) await summary.click();
      widths.push([view, await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)]);
    }

    expect(widths).toEqual(views.map((view) => [view, 400]));
    expect(complaints).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('is %s where the system is, and can be read', async (colorScheme) => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser, { colorScheme });
    const { page } = opened;
    await scene.playCall('CA1');
    await page.goto(scene.url);
    await page.locator('.row.tool').waitFor();

    const contrasts = await page.locator('body').evaluate(contrastsOfTexts);

    expect(await page.locator('body').evaluate(styleOf, 'backgroundColor')).toBe(
      colorScheme === 'dark' ? 'rgb(16, 20, 28)' : 'rgb(246, 247, 249)',
    );
    expect(contrasts.length).toBeGreaterThan(20);
    // WCAG 2.2, 1.4.3
    expect(contrasts.filter(([, contrast]) => contrast < 4.5)).toEqual([]);
  });

  test('a foreign name that leads to this machine gets nothing, with the token and without', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    const { port } = new URL(scene.origin);
    const statusOf = async (path: string) => (await page.goto(`http://rebind.example:${port}${path}`))?.status();

    expect([
      await statusOf('/'),
      await statusOf(`/?token=${scene.local.token}`),
      await statusOf('/api/phone-calls'),
    ]).toEqual([403, 403, 403]);
    expect(await page.locator('body').textContent()).toBe('{"error":"foreign_host"}');
  });

  test('a page of another port can neither read nor press anything, though the browser sends the cookie', async () => {
    await using scene = await setConsoleScene({ allowActions: true });
    await using other = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.makeDeadLetter('CA1');
    await page.goto(scene.url);
    await page.getByText('live', { exact: true }).waitFor();
    // Another page of this machine, free to run scripts.
    await page.route(`${other.origin}/evil`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>evil</p>' }),
    );
    await page.goto(`${other.origin}/evil`);

    const outcomes = await page.evaluate(async (origin) => {
      const attempt = (path: string, init: RequestInit) =>
        fetch(`${origin}${path}`, { credentials: 'include', ...init }).then(
          (answer) => answer.type,
          () => 'refused',
        );
      const body = JSON.stringify({ since: 0 });
      return [
        await attempt('/api/phone-calls', {}),
        await attempt('/api/dead-letters/redrive', { method: 'POST', body }),
        await attempt('/api/dead-letters/redrive', { method: 'POST', body, mode: 'no-cors' }),
      ];
    }, scene.origin);

    expect(outcomes).toEqual(['refused', 'refused', expect.stringMatching(/refused|opaque/)]);
    expect(await scene.outbox.deadLetters.list()).toHaveLength(1);
  });

  test('no byte that the browser is given holds a secret or what is personal', async () => {
    await using scene = await setConsoleScene();
    await using opened = await openPage(browser);
    const { page } = opened;
    await scene.playCall('CA1');
    const bodies: Promise<string>[] = [];
    page.on('response', (answer) => {
      // A stream that goes on has no body yet.
      if (!answer.url().includes('/events')) bodies.push(answer.text().catch(() => ''));
    });
    await page.goto(scene.url);
    for (const view of views) await page.getByRole('tab', { name: view }).click();
    await page.locator('.tool-entry').first().waitFor();

    const bytes = (await Promise.all(bodies)).join('\n') + (await page.content());

    expect(bodies.length).toBeGreaterThan(15);
    const seeded = [...Object.values(scene.credentials), 'Ada Park', 'pm_1', scene.local.token];
    expect(seeded.filter((value) => bytes.includes(value))).toEqual([]);
  });
});
