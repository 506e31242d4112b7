/** The relative targets of a page's links and images, without their anchors. */
export const targetsOf = (markdown: string): readonly string[] => {
  const targets: string[] = [];
  mapTargets(markdown, (target) => {
    targets.push(target);
    return target;
  });
  return targets;
};

/** Replaces the relative targets of links and images; code is no prose. */
export const mapTargets = (markdown: string, map: (target: string) => string): string =>
  markdown
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(linked, replaceWith(map))))
    .join('');

/** Blocks and words of code. It is in a group, and so every second part is code. */
const code = /(^```[\s\S]*?^```$|`[^`\n]+`)/m;

const linked = /(\]\(|\b(?:src|href)=")([^)\s"#]+)/g;

const replaceWith = (map: (target: string) => string) => (whole: string, before: string, target: string) =>
  /^[a-z]+:/.test(target) ? whole : before + map(target);
