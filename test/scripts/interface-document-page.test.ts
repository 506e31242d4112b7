import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { interfaceDocumentPage, writeInterfaceDocumentPage } from '../../scripts/interface-document-page.ts';

test('the page of the interface document says what its rows say, and their tests are there: npm run docs:interface-document writes it', () => {
  expect(readFileSync(interfaceDocumentPage, 'utf8')).toBe(writeInterfaceDocumentPage());
});
