// The search in a page of the site. typedoc's script opens its dialog, and moves through the results with the keyboard.
import { createFind, excerptOf, type Found, placesOf } from './find.ts';
import type { SearchRecord } from './record.ts';

declare const searchRecords: readonly SearchRecord[];

/** A text in which the words that were found are marked. */
const marked = (name: string, text: string, terms: readonly string[]): HTMLElement => {
  const element = document.createElement('span');
  element.className = name;
  let last = 0;
  for (const [from, to] of placesOf(text, terms)) {
    const mark = document.createElement('mark');
    mark.textContent = text.slice(from, to);
    element.append(text.slice(last, from), mark);
    last = to;
  }
  element.append(text.slice(last));
  return element;
};

const base = document.documentElement.dataset['base']?.replace(/\/?$/, '/') ?? './';

const optionOf = ({ record, terms }: Found, index: number): HTMLElement => {
  const { title, place = '', url, about = '', text = '' } = record;
  const excerpt = excerptOf(about === '' || placesOf(text, terms).length > 0 ? text : about, terms);
  const option = document.createElement('a');
  option.id = `search-result-${index}`;
  option.className = 'search-result';
  option.role = 'option';
  option.ariaSelected = 'false';
  option.tabIndex = -1;
  option.href = base + url;
  option.append(
    marked('result-title', title, terms),
    marked('result-place', place, terms),
    marked('result-excerpt', excerpt, terms),
  );
  return option;
};

const field = document.getElementById('tsd-search-input');
const results = document.getElementById('tsd-search-results');
const status = document.getElementById('tsd-search-status');
if (!(field instanceof HTMLInputElement && results && status)) throw new Error('The page has no search');

const find = createFind(searchRecords);
const search = () => {
  const query = field.value.trim();
  const found = query === '' ? [] : find(query);
  field.setAttribute('aria-activedescendant', '');
  results.replaceChildren(...found.map(optionOf));
  status.textContent = query === '' || found.length > 0 ? '' : `Nothing found for “${query}”`;
};
field.addEventListener('input', search);
field.addEventListener('keydown', ({ key }) => {
  if (key !== 'Enter') return;
  // Without a choice, the first result is meant.
  (results.querySelector<HTMLElement>('[aria-selected=true]') ?? results.querySelector('a'))?.click();
});
search();
