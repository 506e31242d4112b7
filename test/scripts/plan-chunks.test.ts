import { expect, test } from 'vitest';
import { type BuiltFile, planChunks } from '../../scripts/plan-chunks.js';

const chunk = (imports: readonly string[] = [], more: Partial<BuiltFile> = {}): BuiltFile => ({
  bytes: 1_000,
  imports,
  packages: [],
  names: [],
  isChunk: true,
  ...more,
});

const entry = (...imports: string[]): BuiltFile => chunk(imports, { isChunk: false });

const plan = (files: Readonly<Record<string, BuiltFile>>, weightOf: (entry: string) => number = () => 1) =>
  planChunks(new Map(Object.entries(files)), weightOf).map((group) => group.toSorted());

test('chunks that are always loaded together become one', () => {
  expect(plan({ 'crm.js': entry('a', 'b', 'c'), a: chunk(['b']), b: chunk(), c: chunk() })).toEqual([['a', 'b', 'c']]);
});

test('a small chunk joins another where few load it in vain, a large one does not', () => {
  const files = (bytes: number) => ({
    'crm.js': entry('a', 'b'),
    'billing.js': entry('a', 'b'),
    'webhooks.js': entry('a'),
    a: chunk(),
    b: chunk([], { bytes }),
  });
  expect(plan(files(1_000))).toEqual([['a', 'b']]);
  expect(plan(files(100_000))).toEqual([]);
});

test('what counts more decides', () => {
  const files = { 'crm.js': entry('a', 'b'), 'demo.js': entry('a'), a: chunk(), b: chunk([], { bytes: 30_000 }) };
  expect(plan(files)).toEqual([]);
  expect(plan(files, (name) => (name === 'crm.js' ? 10 : 1))).toEqual([['a', 'b']]);
});

test('nobody is made to load a package that they did without', () => {
  const files = {
    'crm.js': entry('a', 'b'),
    'webhooks.js': entry('a'),
    a: chunk(),
    b: chunk([], { packages: ['zod'] }),
  };
  expect(plan(files, () => 10)).toEqual([]);
});

test('no circle appears: a chunk between two others joins them or keeps them apart', () => {
  const between = chunk(['b'], { names: ['taken'] });
  expect(plan({ 'crm.js': entry('a'), a: chunk(['between'], { names: ['taken'] }), between, b: chunk() })).toEqual([
    ['a', 'b', 'between'].filter((name) => name !== 'a'),
  ]);
});

test('two that export the same name stay apart', () => {
  const named = chunk([], { names: ['text'] });
  expect(plan({ 'crm.js': entry('a', 'b'), a: named, b: named })).toEqual([]);
});
