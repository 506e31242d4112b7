import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KnipConfig } from 'knip';
import { subpaths } from './scripts/subpaths.js';

const config: KnipConfig = {
  entry: [
    ...subpaths.map(({ source }) => relative('.', fileURLToPath(source))),
    // Started by their paths.
    'src/stores/sqlite/worker.ts',
    'src/dev/console/page/app.js',
    'site/site.js',
    'site/search/in-the-page.ts',
    'examples/scale/{worker,publisher}.ts',
    'scripts/{check-node,from-source,example,closing-line,console-pictures}.{js,ts}',
    'examples/{*,platforms/*,tools/*,voice-platforms/*,web-frameworks/*,webhooks/*}.ts',
    'bench/**/*.ts',
    'test/**/*.{test,test-d}.ts',
    // Started by their paths, with a library replaced.
    'scripts/measure/{ways,vitest.config,stubs/*}.ts',
    // Started by their paths, on other runtimes.
    'test/runtimes/{install,vitest.config,programs/*}.ts',
    // Programs of people who use the package, started by their paths.
    'test/front-door/{[01]*,hovered,on-loopback}.ts',
    'test/mutation/{sample,texts,vitest.config}.ts',
    // Packages of their own, with their own dependencies.
    '!test/{providers,platforms,starters}/**',
  ],
  project: [
    '{src,scripts,examples,bench,test,site}/**/*.{ts,js}',
    '!test/{consumer,providers,platforms,starters}/**',
    '!examples/{backends,engines}/**',
  ],
  ignoreIssues: {
    '{test/{providers,platforms,starters},templates,examples/{backends,engines,voice-platforms},site}/**': ['unlisted'],
  },
  // Started by its path; the others are peers that no file imports, so that npm refuses old ones.
  ignoreDependencies: [
    '@arethetypeswrong/cli',
    '@livekit/agents',
    '@mastra/core',
    '@modelcontextprotocol/client',
    'ai',
  ],
  // The system's: one makes certificates for tests, one is the server of an example.
  ignoreBinaries: ['openssl', 'redis-server'],
  // The options of a factory are exported with it, used elsewhere or not.
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
