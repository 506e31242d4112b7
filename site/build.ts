import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Application, IndexEvent, JSX, PageEvent } from 'typedoc';
import { subpaths } from '../scripts/subpaths.js';
import { addressOf } from './address.ts';
import { startPage, tableOfContents } from './contents.ts';
import { landingPage } from './landing.ts';
import { nextPages } from './next-pages.ts';
import { pageNavigation } from './page-navigation.ts';
import type { SearchRecord } from './search/record.ts';
import { writeSearch } from './search/write-search.ts';
import { stagePages } from './stage-pages.ts';
import { finishPage } from './typedoc/finish-page.ts';
import { hideSymbols } from './typedoc/hide-symbols.ts';
import { nameModules } from './typedoc/name-modules.ts';
import { options } from './typedoc/options.ts';
import { referenceNavigation } from './typedoc/reference-navigation.ts';
import { SiteRouter } from './typedoc/router.ts';
import { takeSearchRecords } from './typedoc/search-records.ts';
import { SiteTheme } from './typedoc/theme.ts';

// `npm run docs`: the pages and the reference as a folder of static files, in site/public or where `--out` says.

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = values.out ?? fileURLToPath(new URL('public', import.meta.url));
const root = new URL('../', import.meta.url);
const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { description: string };
const contents = tableOfContents(root);

const staged = await mkdtemp(join(tmpdir(), 'voice-agent-pages-'));
try {
  const pages = contents.flatMap((section) => section.pages);
  const files = await stagePages(pages, { root, folder: pathToFileURL(`${staged}/`) });
  const readme = join(staged, startPage);
  await writeFile(readme, landingPage(await readFile(readme, 'utf8')));
  const app = await Application.bootstrapWithPlugins({
    ...options,
    readme,
    projectDocuments: files.filter((file) => file !== readme),
    router: 'site',
    theme: 'site',
    // Other files stay in a folder that the user chose.
    cleanOutputDir: values.out === undefined,
  });
  nameModules(app, subpaths);
  hideSymbols(app);
  const { renderer } = app;
  renderer.defineRouter('site', SiteRouter);
  renderer.defineTheme('site', SiteTheme);
  renderer.hooks.on('body.begin', () => JSX.createElement('a', { class: 'skip', href: '#content' }, 'To the content'));
  renderer.hooks.on('sidebar.begin', (context) => {
    return JSX.createElement(JSX.Raw, {
      html: pageNavigation(contents, context.page.url) + referenceNavigation(context),
    });
  });
  renderer.hooks.on('content.end', (context) => {
    return JSX.createElement(JSX.Raw, { html: nextPages(contents, context.page.url) });
  });
  const abouts = new Map(pages.map(({ path, about }) => [addressOf(path), about]));
  let searchRecords: readonly SearchRecord[] = [];
  renderer.on(IndexEvent.PREPARE_INDEX, (event: IndexEvent) => {
    searchRecords = takeSearchRecords(event, { router: renderer.router!, abouts });
  });
  renderer.on(PageEvent.END, finishPage(description));

  const project = await app.convert();
  if (project) {
    app.validate(project);
    await app.generateDocs(project, out);
    await writeSearch(out, searchRecords);
  }
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
  else console.log(`The site is in ${out}: open its index.html`);
} finally {
  await rm(staged, { recursive: true });
}
