import { fileURLToPath } from 'node:url';
import type { TypeDocOptions } from 'typedoc';
import { type Subpath, subpaths } from '../../scripts/subpaths.js';

declare module 'typedoc' {
  interface TypeDocOptionMap {
    /** Of typedoc-plugin-missing-exports: where types go that are seen in others, and not exported themselves. */
    internalModule: string;
    /** Of the same: also what only a docstring links to. */
    includeDocCommentReferences: boolean;
  }
}

const inRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The options of typedoc, apart from the pages. */
export const options: TypeDocOptions = {
  name: 'voice-agent-integrations',
  entryPoints: subpaths.map(({ source }: Subpath) => fileURLToPath(source)),
  tsconfig: inRoot('tsconfig.json'),
  // The type checks of the project have their own commands.
  skipErrorChecking: true,

  plugin: [fileURLToPath(import.meta.resolve('typedoc-plugin-missing-exports'))],
  internalModule: 'Other types',
  includeDocCommentReferences: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  disableGit: true,

  sort: ['kind', 'alphabetical-ignoring-documents'],
  kindSortOrder: ['Function', 'Variable', 'Class', 'Interface', 'TypeAlias', 'Module'],
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', '*'],
  includeHierarchySummary: false,

  headings: { readme: false, document: false },
  useFirstParagraphOfCommentAsSummary: true,
  visibilityFilters: {},
  searchInComments: true,
  searchInDocuments: true,

  customCss: inRoot('site/site.css'),
  customJs: inRoot('site/site.js'),
  favicon: inRoot('site/favicon.svg'),
  lightHighlightTheme: 'github-light-high-contrast',
  darkHighlightTheme: 'github-dark-default',
  customFooterHtml: '<p>voice-agent-integrations, MIT licensed</p>',
  customFooterHtmlDisableWrapper: true,
  hideGenerator: true,

  validation: {
    // Types that a function only takes or returns come along without a name of their own.
    notExported: false,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    unusedMergeModuleWith: true,
    notDocumented: true,
  },
  // A function is looked at by test/docstrings.test.ts: asked for here, each one that is a field would be too.
  requiredToBeDocumented: ['Module', 'Variable', 'Class', 'Interface', 'TypeAlias'],
  treatWarningsAsErrors: true,
  logLevel: 'Warn',
};
