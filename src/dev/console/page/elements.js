/**
 * @typedef {string | number | Node | null | undefined | false} Child
 * @typedef {object} Properties
 * @property {string} [class]
 * @property {Record<string, string | number | boolean | undefined>} [attributes] `false` and `undefined` are left out
 * @property {Record<string, string>} [style] as the stylesheet would say it; markup may not
 * @property {Record<string, (event: Event) => void>} [on]
 */

/**
 * Makes an element. Texts become text: nothing that came from outside is read as markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const el = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

/**
 * The same for a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export const svg = (tag, properties = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);

/**
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} element
 * @param {Properties} properties
 * @param {readonly Child[]} children
 * @returns {Made}
 */
const fill = (element, { class: className, attributes = {}, style = {}, on = {} }, children) => {
  if (className) element.setAttribute('class', className);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children.filter(isShown).map((child) => (child instanceof Node ? child : String(child))));
  return element;
};

/** @type {(child: Child) => child is string | number | Node} */
const isShown = (child) => child !== null && child !== undefined && child !== false;

/**
 * Puts new children in the place of the old ones. What was opened stays open, and the focus stays where it was: both are
 * found again by `data-key`.
 * @param {HTMLElement} parent
 * @param {...Child} children
 */
export const show = (parent, ...children) => {
  const open = new Set([...parent.querySelectorAll('details[open]')].map(keyOf));
  const focused = parent.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
  const scrolled = parent.scrollTop;
  parent.replaceChildren(...children.filter(isShown).map((child) => (child instanceof Node ? child : String(child))));
  for (const details of parent.querySelectorAll('details')) if (open.has(keyOf(details))) details.open = true;
  parent.scrollTop = scrolled;
  if (focused === undefined) return;
  for (const element of parent.querySelectorAll('[data-key]')) {
    if (keyOf(element) === focused && element instanceof HTMLElement && element.tabIndex >= 0) {
      element.focus({ preventScroll: true });
      return;
    }
  }
};

/** @param {Element | null} element */
const keyOf = (element) => (element instanceof HTMLElement ? element.dataset['key'] : undefined);

/**
 * A small coloured word for a state.
 * @param {string} word
 * @param {'ok' | 'bad' | 'warn' | 'open' | 'neutral'} state
 */
export const chip = (word, state) => el('span', { class: `chip ${state}` }, word);

/**
 * The text shown where there is nothing yet, with what would bring something.
 * @param {string} title
 * @param {string} hint
 */
export const emptyState = (title, hint) => el('div', { class: 'empty' }, el('h2', {}, title), el('p', {}, hint));

/**
 * Says whether a value is another one than the last time. What did not change is not drawn again: a selection of text
 * would be lost.
 */
export const watchChanges = () => {
  /** @type {string | undefined} */
  let last;
  return (/** @type {unknown} */ value) => {
    const text = JSON.stringify(value);
    const isOther = text !== last;
    last = text;
    return isOther;
  };
};
