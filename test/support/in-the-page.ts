/** The parts of an element that are used here: the code of this package knows no DOM. Each function runs in the page, alone. */
interface PageElement {
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
  readonly parentElement: PageElement | null;
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(element: PageElement): Readonly<Record<string, string>> };
  };
  querySelectorAll(selector: string): Iterable<PageElement>;
  checkVisibility(): boolean;
  matches(selector: string): boolean;
}

/** One property of an element's style, as it came out. */
export const styleOf = (element: PageElement, property: string): string | undefined =>
  element.ownerDocument.defaultView.getComputedStyle(element)[property];

/** The contrast of every text that is seen with what is behind it. Source: WCAG 2.2, "contrast ratio". */
export const contrastsOfTexts = (root: PageElement): [text: string, contrast: number][] => {
  const { defaultView } = root.ownerDocument;
  const numbersOf = (color = '') => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color = '') => {
    const [red = 0, green = 0, blue = 0] = numbersOf(color).map((value) => {
      const part = value / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: PageElement | null): string | undefined => {
    if (!element) return 'rgb(255, 255, 255)';
    const color = defaultView.getComputedStyle(element)['backgroundColor'];
    return numbersOf(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  return [...root.querySelectorAll('*')].flatMap((element): [string, number][] => {
    const text = [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ textContent }) => textContent?.trim());
    if (text.join('') === '' || !element.checkVisibility() || element.matches('.skip, noscript')) return [];
    const [one, other] = [luminance(defaultView.getComputedStyle(element)['color']), luminance(behind(element))];
    return [[text.join(' '), (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)]];
  });
};
