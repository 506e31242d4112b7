import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { publint } from 'publint';
import ts from 'typescript';
import { subpaths } from '../scripts/subpaths.js';
import { compilers, compilersOf } from './getting-started/compilers.ts';
import { importsIn } from './support/imports-in.ts';
import { type Manifest, npmInstall, readManifest } from './support/pack-package.ts';
import { publicSurface } from './support/public-surface.ts';
import { runCommand } from './support/run-command.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const oldestNode = '22.13.0';
const ownNode = process.execPath;

/** Their types name types of their optional peer; those of msw need the DOM's. */
const withTypesOfPeers = ['voice-agent-integrations/testing/msw', 'voice-agent-integrations/stores/bullmq'];

/** Peers that no file imports: their users pass in what is needed, and npm refuses old versions. */
const onlyPassedIn = [
  '@livekit/agents',
  '@mastra/core',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/sdk',
  'ai',
];

/** Subpaths that are of no use without their optional peer, and import it. */
const peerOf: Readonly<Record<string, string>> = {
  'voice-agent-integrations/testing/msw': 'msw',
  'voice-agent-integrations/observability/opentelemetry': '@opentelemetry/api',
  'voice-agent-integrations/phone': 'libphonenumber-js',
  'voice-agent-integrations/stores/bullmq': 'bullmq',
  'voice-agent-integrations/transport/undici': 'undici',
};

const specifiers = subpaths.map(({ specifier }) => specifier);
const withoutPeers = specifiers.filter((specifier) => !(specifier in peerOf));

/** What npm passes to scripts about itself, which another npm takes for its own settings. */
const settingsOfNpm = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^npm_config_/i.test(name))
    .map((name) => [name, undefined]),
);

const tarball = inject('tarball');
let scratch: string;
let files: readonly string[];
let manifest: Manifest;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'package-'));
  manifest = await readManifest();
  const list = await runCommand('tar', ['-tzf', tarball], { cwd: scratch });
  files = list
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
    .toSorted();
  await runCommand('tar', ['-xzf', tarball], { cwd: scratch });
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Code, its types, pages with their pictures, and the examples that pages lead to. */
const mayBeIn =
  /^dist\/.+\.(js|d\.ts)$|^docs\/(?!decisions).+\.md$|^docs\/images\/.+\.(svg|png)$|^examples\/.+(?<!\.test)\.ts$|^templates\/.+$/;

const packed = (file: string) => readFile(join(scratch, 'package', file), 'utf8');

describe('the tarball', () => {
  test('holds what users need and nothing else', () => {
    const others = files.filter((file) => !mayBeIn.test(file));

    expect(others).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'llms.txt',
      'package.json',
    ]);
  });

  test('holds code and types of every subpath', () => {
    expect(files).toEqual(
      expect.arrayContaining(subpaths.flatMap(({ entry }) => [`dist/${entry}.js`, `dist/${entry}.d.ts`])),
    );
  });

  test('is below 1.25 MB', async () => {
    const { size } = await stat(tarball);
    const sizes = await Promise.all(files.map((file) => stat(join(scratch, 'package', file))));
    const unpacked = sizes.reduce((sum, each) => sum + each.size, 0);
    console.log(`${Math.round(size / 1_000)} kB packed, ${Math.round(unpacked / 1_000)} kB unpacked`);

    expect(size).toBeLessThan(1_250_000);
    expect(unpacked).toBeLessThan(4_000_000);
  });

  test('holds examples, also as JavaScript: what they import is there, and nothing of the repository is needed', async () => {
    const examples = files.filter((file) => /^(dist\/)?examples\//.test(file));
    const written = examples.filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(examples.map(async (file) => ({ file, text: await packed(file) })));
    const missing = texts.flatMap(({ file, text }) =>
      importsIn(text)
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(file), name))
        .filter((path) => !examples.includes(path)),
    );

    expect(written).toContain('examples/tools/vapi.ts');
    expect(examples).toEqual(expect.arrayContaining(written.map((file) => `dist/${file.replace(/ts$/, 'js')}`)));
    expect(missing).toEqual([]);
    expect(texts.filter(({ text }) => /from-source|\.\.\/src\//.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test('is published without a warning and without a correction', async () => {
    const registry = 'http://127.0.0.1:9/';
    const userconfig = join(scratch, 'npmrc');
    // As a logged-in user, at a registry that is never asked.
    await writeFile(
      userconfig,
      `registry=${registry}\n${registry.replace('http:', '')}:_authToken=of-no-one\nfetch-retries=0\n`,
    );
    const npm = (...words: readonly string[]) =>
      runCommand('sh', ['-c', `npm ${words.join(' ')} --userconfig '${userconfig}' 2>&1`], {
        cwd: join(scratch, 'package'),
        env: settingsOfNpm,
      });

    const printed = await npm('publish', '--dry-run', '--ignore-scripts', '--access', 'public');

    expect(
      printed.split('\n').filter((line) => /\b(warn|error)\b/i.test(line) && !line.startsWith('npm notice')),
    ).toEqual([]);
    expect(printed).toContain(`+ voice-agent-integrations@${manifest.version}`);
    expect(await npm('pkg', 'fix')).toBe('');
    expect(JSON.parse(await packed('package.json'))).toEqual(manifest);
  });

  test('pleases publint', async () => {
    const { messages } = await publint({ pkgDir: join(scratch, 'package'), strict: true, pack: false });

    expect(messages).toEqual([]);
  });

  test('has types that are right for every way of importing an ESM package', async () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const printed = await runCommand(ownNode, [attw, tarball, '--profile', 'esm-only', '--quiet'], { cwd: root });

    expect(printed).toBe('');
  });
});

describe('the built files', () => {
  test('import only Node, by its full names, and declared packages', async () => {
    const imported = await externalImports('.js');
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
      (name) => !onlyPassedIn.includes(name),
    );
    const used = imported.filter((name) => !name.startsWith('node:'));

    expect(used.toSorted()).toEqual(declared.toSorted());
  });

  test('show types of ky, bullmq and msw alone, which you can pass: the others can be exchanged without a breaking change', async () => {
    const imported = await externalImports('.d.ts');
    const types = (await Promise.all(files.filter((file) => file.endsWith('.d.ts')).map(packed))).join('\n');

    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual(['bullmq', 'ky', 'msw']);
    expect(types.match(/\bZod[A-Z]\w*|\b\$Zod\w*/g)).toBeNull();
  });
});

test('the public surface is what public-surface.txt says: `npm run surface` writes down a change that is meant', async () => {
  await expect(publicSurface(join(scratch, 'package/dist'), subpaths)).toMatchFileSnapshot('./public-surface.txt');
});

/** The packages that the files with this ending name in their imports, each once. */
const externalImports = async (ending: '.js' | '.d.ts'): Promise<string[]> => {
  const texts = await Promise.all(
    files.filter((file) => /^dist\/(?!examples\/)/.test(file) && file.endsWith(ending)).map(packed),
  );
  const names = texts.flatMap(importsIn);
  return [...new Set(names.filter((name) => !name.startsWith('.')).map(packageOf))].toSorted();
};

/** Returns where the page says that the examples are. */
const examplesIn = (page: string) => /`node (node_modules\/\S+\/examples)\//.exec(page)?.[1];

const packageOf = (specifier: string) => {
  const name = manifest.imports[specifier]?.default ?? specifier;
  return name.startsWith('node:')
    ? name
    : name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
};

describe('a project that installs it', () => {
  let project: string;
  let oldNode: string;

  beforeAll(async () => {
    project = join(scratch, 'consumer');
    await cp(join(root, 'test/consumer'), project, { recursive: true });
    const development = [`node@${oldestNode}`, `@types/node@${manifest.devDependencies['@types/node']}`];
    await npmInstall(project, [tarball, ...development, ...compilersOf(manifest.devDependencies)]);
    oldNode = join(project, 'node_modules/node/bin/node');
    await writeFile(
      join(project, 'every-subpath.ts'),
      importing(specifiers.filter((specifier) => !withTypesOfPeers.includes(specifier))),
    );
  });

  test('gets the oldest Node that is supported', async () => {
    expect(await runCommand(oldNode, ['--version'], { cwd: project })).toBe(`v${oldestNode}\n`);
  });

  // The settings of getting started do it for each compiler with both.
  test.each([
    ['typescript-5.9', 'tsconfig.json'],
    ['typescript-6', 'tsconfig.bundler.json'],
    ['typescript-7', 'tsconfig.json'],
    ['typescript-7', 'tsconfig.bundler.json'],
  ])('compiles strictly with %s and %s, declaration files of packages included', async (compiler, config) => {
    expect(await typeCheck(compiler, config)).toBe('');
  });

  const typeCheck = (compiler: string, config: string) =>
    runCommand(ownNode, [join(project, 'node_modules', compiler, 'bin/tsc'), '-p', config], { cwd: project });

  describe.each([
    [`Node ${oldestNode}`, () => oldNode],
    ['the Node of the tools', () => ownNode],
  ])('on %s', (_name, node) => {
    test('imports and requires every subpath, alone', async () => {
      // A thread for each has modules of its own, and starts sooner than a process.
      const found = await exportsOf(node(), ...withoutPeers);

      expect(found.map(([specifier]) => specifier)).toEqual(withoutPeers);
      expect(
        found.filter(([, required, imported]) => required.length === 0 || required.join() !== imported.join()),
      ).toEqual([]);
    });

    test('makes a call over a real socket and exits by itself', async () => {
      await compile('one-call.ts');

      const printed = await runCommand(node(), ['out/one-call.js'], { cwd: project });

      expect(JSON.parse(printed)).toEqual({ id: 'cus_1', refused: ['ClientError', 404] });
    });

    test('keeps a message in a file, with its thread, and exits by itself', async () => {
      await compile('one-message.ts');

      const printed = await runCommand(node(), ['out/one-message.js'], { cwd: project });

      expect(JSON.parse(printed)).toEqual({ state: 'waiting', payload: { hello: 'queue' }, claim: 'new' });
    });

    test('serves the page of its console and exits by itself', async () => {
      await compile('one-console.ts');

      const printed = await runCommand(node(), ['out/one-console.js'], { cwd: project });

      expect(JSON.parse(printed)).toEqual({
        files: [
          ['text/html; charset=utf-8', true],
          ['text/javascript; charset=utf-8', true],
          ['text/css; charset=utf-8', true],
        ],
        without: 401,
      });
    });

    test.each(['tools/payment', 'tools/vapi'])('runs the example %s where it is installed', async (name) => {
      const example = `${examplesIn(await packed('docs/recipes/README.md'))}/${name}.js`;

      expect(await runCommand(node(), [example], { cwd: project })).toMatch(/"success": ?true|CONF-1/);
    });

    test('has a command line that plays a phone call and prints every tool', async () => {
      const main = 'node_modules/voice-agent-integrations/dist/dev/cli/main.js';
      const cli = (...words: readonly string[]) => runCommand(node(), [main, ...words, '--json'], { cwd: project });

      const { checks } = JSON.parse(await cli('demo')) as { readonly checks: readonly { readonly holds: boolean }[] };
      const { tokens } = JSON.parse(await cli('tools', 'print', '--target', 'mcp')) as { readonly tokens: number };

      expect(checks.length).toBeGreaterThan(5);
      expect(checks.filter(({ holds }) => !holds)).toEqual([]);
      expect(tokens).toBeGreaterThan(100);
    });
  });

  test('has the command line under its own name', async () => {
    const bin = join(project, 'node_modules/.bin/voice-agent-integrations');

    expect(await runCommand(bin, ['--version'], { cwd: project })).toBe(`${manifest.version}\n`);
  });

  /** The names that `require` and `import` give for each of these, each in a thread of its own. */
  const exportsOf = async (node: string, ...specifiers: readonly string[]) => {
    const printed = await runCommand(node, ['exports-of.cjs', ...specifiers], { cwd: project });
    return JSON.parse(printed) as [specifier: string, required: string[], imported: string[]][];
  };

  const compile = async (file: string) => {
    const text = await readFile(join(project, file), 'utf8');
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    });
    await mkdir(join(project, 'out'), { recursive: true });
    await writeFile(join(project, 'out', file.replace(/\.ts$/, '.js')), outputText);
  };

  test.each(Object.entries(peerOf))('without its peer, %s names what to install: %s', async (specifier, peer) => {
    await expect(exportsOf(ownNode, specifier)).rejects.toThrow(peer);
  });

  describe('with the peers of a subpath', () => {
    beforeAll(async () => {
      await npmInstall(
        project,
        Object.values(peerOf).map((peer) => `${peer}@${manifest.devDependencies[peer]}`),
      );
      await mkdir(join(project, 'with-peers'));
      await writeFile(join(project, 'with-peers/imports.ts'), importing(withTypesOfPeers));
      await writeFile(
        join(project, 'with-peers/tsconfig.json'),
        JSON.stringify({
          extends: '../tsconfig.json',
          compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable'] },
          include: ['*.ts'],
        }),
      );
    });

    test.each(compilers)('compiles with %s', async (compiler) => {
      expect(await typeCheck(compiler, 'with-peers/tsconfig.json')).toBe('');
    });

    test.each(Object.keys(peerOf))('imports %s', async (specifier) => {
      const [[, required, imported] = []] = await exportsOf(ownNode, specifier);

      expect(imported).not.toEqual([]);
      expect(required).toEqual(imported);
    });
  });
});

const importing = (specifiers: readonly string[]) =>
  specifiers
    .map((specifier, index) => `import * as subpath${index} from '${specifier}';\nvoid subpath${index};\n`)
    .join('');
