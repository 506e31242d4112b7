import { expect, test } from 'vitest';
import { htmlToText, textToHtml, withoutTags } from '../../src/messaging/html.ts';

test.each([
  ['a & b < c > "d"\ne', 'a &amp; b &lt; c &gt; &quot;d&quot;<br>e'],
  ['Ünïcode 👋', 'Ünïcode 👋'],
])('%j is the HTML %j, and that is the text again', (text, html) => {
  expect(textToHtml(text)).toBe(html);
  expect(htmlToText(html)).toBe(text);
});

test.each([
  ['<p>One</p><p>Two</p>', 'One\nTwo'],
  ['<ul><li>1</li><li>2</li></ul>', '1\n2'],
  ['<style>p{}</style><!-- no -->yes', 'yes'],
  ['<a href="https://x.example">https://x.example</a>', 'https://x.example'],
  ['&#65;&#x42;&nbsp;&unknown;&constructor;&#0;', 'AB &unknown;&constructor;&#0;'],
  ['2 < 3 and 4 > 1', '2 < 3 and 4 > 1'],
])('%j says %j', (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

test.each([
  ['<b>x</b>', '< b>x< /b>'],
  ['<!-- x -->', '< !-- x -->'],
  ['2 < 3, <3, sales & more', '2 < 3, <3, sales & more'],
])('%j begins no tag as %j', (text, plain) => {
  expect(withoutTags(text)).toBe(plain);
});
