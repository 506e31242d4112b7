import { expect, test } from 'vitest';
import { htmlToText, textToHtml, withoutTags } from '../../src/core/html.ts';

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
  ['Gr&ouml;&szlig;e, Zo&euml;, &Ccaron;&aring;&ntilde;&lstrok;&Oslash;', 'Größe, Zoë, ČåñłØ'],
  [
    'it&rsquo;s 5&ndash;6&nbsp;&euro;&hellip; &ldquo;&alpha;&Omega;&rdquo; &lpar;a&comma;&rpar;',
    'it’s 5–6 €… “αΩ” (a,)',
  ],
  ['&AMP; &eacute; &Eacute; &dagger; &Dagger;', '& é É † ‡'],
  ['&#8217; &#x2019; &#146; &#x80;', '’ ’ ’ €'],
  ['&#xD83D;&#xDE00; &#55357; &#xFFFFFFFFF; &#x110000;', '😀 \ufffd &#xFFFFFFFFF; &#x110000;'],
  ['R&amp D, &copy 2026, caf&eacute, &#39s', "R& D, © 2026, café, 's"],
  ['?a=1&copy=2&regard&rsquo&notit', '?a=1&copy=2&regard&rsquo&notit'],
  ['&amp;lt;b&amp;gt; &amp;amp; &lt;i&gt; &amp;rsquo;', '&lt;b&gt; &amp; <i> &rsquo;'],
  ['Donau&shy;dampf', 'Donaudampf'],
  ['&dtilde; &ring; &acute; &Acutex; &__proto__; &toString;', '&dtilde; &ring; ´ &Acutex; &__proto__; &toString;'],
  ['Hello<div>World</div>again<hr>end', 'Hello\nWorld\nagain\nend'],
  ['<table><tr><td>Mon</td><td>9 to 5</td></tr><tr><td>Sun</td><td>closed</td></tr></table>', 'Mon 9 to 5\nSun closed'],
  ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
  ["<a class='x' href='https://x.example/?a=1&amp;b=2'>here</a>", 'here (https://x.example/?a=1&b=2)'],
  ['<a data-href="no" name="x">here</a> <a href=https://y.example>there</a>', 'here there (https://y.example)'],
  ['yes<!-- never ended', 'yes'],
  ['2 <b and c', '2 <b and c'],
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

test.each(['<p', '<a ', '<br ', '<!--', '<script', '<script>', '<a href="', '<a href="x">', '<p>', '</a>', '&a', '&#'])(
  'reads a long text of %j once',
  (part) => {
    const began = performance.now();
    htmlToText(part.repeat(100_000 / part.length));
    expect(performance.now() - began).toBeLessThan(2_000);
  },
);
