import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isPageFile, readPageFile } from '../../../src/dev/console/page-files.ts';

const folder = new URL('../../../src/dev/console/page/', import.meta.url);
const files = readdirSync(folder).filter((file) => file !== 'tsconfig.json');

test('every file of the page is served, as what it is', () => {
  expect(files.filter((file) => !isPageFile(file))).toEqual([]);
  expect(readPageFile('').text).toBe(readFileSync(new URL('index.html', folder), 'utf8'));
  expect([readPageFile('app.js').type, readPageFile('style.css').type]).toEqual([
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
  ]);
});

test.each(['tsconfig.json', '../console.ts', 'constructor', 'page/app.js'])('%s is no file of the page', (path) => {
  expect(isPageFile(path)).toBe(false);
});

test('the whole page is less than 30 kB on the wire', () => {
  const bytes = files.map((file) => gzipSync(readFileSync(new URL(file, folder))).length);

  expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThan(30_000);
});

test('the page loads nothing from elsewhere and holds no script or style of its own', () => {
  const texts = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  const html = readFileSync(new URL('index.html', folder), 'utf8');

  expect(texts.match(/https?:\/\/(?!www\.w3\.org\/)[^\s'"]+/g)).toBe(null);
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  expect(texts).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
});
