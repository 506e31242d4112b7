import { chip, el, emptyState, show, watchChanges } from './elements.js';
import { get, post } from './server.js';
import { counted, duration } from './words.js';

/**
 * @typedef {import('./server.js').Session} Session
 * @typedef {import('../tool-definitions.ts').ShownTool} ShownTool
 * @typedef {{ name: string, tools: readonly ShownTool[] }} ShownToolbox
 * @typedef {{ ok: boolean, problems: readonly { field: string, problem: string }[] }} Checked
 */

/**
 * The tools as models see them, and a form that says what is wrong with arguments without running anything.
 * @param {HTMLElement} view
 * @param {Session} session
 */
export const startTools = (view, session) => {
  const page = el('div', { class: 'page' });
  view.append(page);
  let target = 'any model';
  /** @type {Map<string, string>} what was entered, by toolbox and tool */
  const entered = new Map();
  /** @type {Map<string, Checked>} */
  const results = new Map();
  const isOther = watchChanges();

  const draw = async () => {
    const { toolboxes } = await get('tools');
    // Text that a user is writing is not replaced without need.
    if (!isOther([toolboxes, target, [...results]])) return;
    if (toolboxes.length === 0)
      return show(page, emptyState('No toolbox was given', 'Give createConsole its toolboxes to see their tools.'));
    const targets = Object.keys(toolboxes[0]?.tools[0]?.definitions ?? {});
    show(
      page,
      el(
        'div',
        { class: 'actions' },
        el('label', { attributes: { for: 'target' } }, 'As they are given to'),
        drawTargets(targets),
      ),
      ...toolboxes.map((/** @type {ShownToolbox} */ { name, tools }) =>
        el(
          'section',
          { class: 'card' },
          el('h2', {}, name, chip(counted(tools.length, 'tool'), 'neutral')),
          ...tools.map((tool) => drawTool(name, tool)),
        ),
      ),
    );
  };

  /** @param {readonly string[]} targets */
  const drawTargets = (targets) =>
    el(
      'select',
      {
        attributes: { id: 'target', 'data-key': 'target' },
        on: {
          change: ({ target: select }) => {
            if (select instanceof HTMLSelectElement) target = select.value;
            void draw();
          },
        },
      },
      ...targets.map((name) => el('option', { attributes: { selected: name === target } }, name)),
    );

  /** @param {string} toolbox @param {ShownTool} tool */
  const drawTool = (toolbox, { name, description, effect, confirm, expectedMs, definitions }) => {
    const key = `${toolbox}/${name}`;
    const definition = definitions[target];
    return el(
      'details',
      { class: 'tool-entry', attributes: { 'data-key': key } },
      el(
        'summary',
        { attributes: { 'data-key': `${key}-summary` } },
        el('strong', {}, name),
        chip(effect, effect === 'payment' ? 'bad' : effect === 'write' ? 'warn' : 'neutral'),
        confirm && chip(whoAgrees[confirm] ?? confirm, 'neutral'),
        el('span', { class: 'quiet' }, `usually within ${duration(expectedMs)}`),
        el('span', { class: 'about' }, description),
      ),
      el(
        'div',
        { class: 'columns' },
        el(
          'div',
          {},
          el('h3', {}, `What ${target} is given`),
          el(
            'pre',
            { attributes: { tabindex: 0, 'aria-label': `Definition of ${name}` } },
            JSON.stringify(definition, null, 2),
          ),
        ),
        drawForm(toolbox, name, key, definitions['any model']),
      ),
    );
  };

  /** @param {string} toolbox @param {string} name @param {string} key @param {object | undefined} definition */
  const drawForm = (toolbox, name, key, definition) => {
    const id = `arguments-${key.replaceAll(/[^\w-]/g, '-')}`;
    const area = el('textarea', {
      attributes: { id, rows: 8, spellcheck: 'false', 'data-key': id },
      on: { input: () => entered.set(key, area.value) },
    });
    area.value = entered.get(key) ?? skeleton(definition);
    const check = async () => {
      results.set(key, await post(session, 'tools/validate', { toolbox, tool: name, arguments: area.value }));
      await draw();
    };
    return el(
      'div',
      {},
      el('h3', {}, 'Check arguments'),
      el('label', { class: 'quiet', attributes: { for: id } }, 'As a model would send them. Nothing runs.'),
      area,
      el(
        'div',
        { class: 'actions' },
        el(
          'button',
          {
            class: 'button',
            attributes: { type: 'button', 'data-key': `${key}-check` },
            on: { click: () => void check() },
          },
          'Check',
        ),
      ),
      el('div', { class: 'checked', attributes: { role: 'status' } }, drawResult(results.get(key))),
    );
  };

  return draw;
};

/** The words for each `confirm`. @type {Readonly<Record<string, string>>} */
const whoAgrees = { 'two-step': 'asks the caller', approve: 'asks a colleague', both: 'asks caller and colleague' };

/** @param {Checked | undefined} checked */
const drawResult = (checked) => {
  if (!checked) return null;
  if (checked.ok) return chip('These arguments fit.', 'ok');
  return el(
    'ul',
    {},
    ...checked.problems.map(({ field, problem }) => el('li', {}, el('code', {}, field), ` ${problem}`)),
  );
};

/** The arguments that must be there, to be filled in. @param {object | undefined} definition */
const skeleton = (definition) => {
  /** @type {{ parameters?: { required?: string[], properties?: Record<string, { type?: string }> } }} */
  const { parameters = {} } = definition ?? {};
  const { required = [], properties = {} } = parameters;
  const entries = required.map((name) => [name, blanks[properties[name]?.type ?? ''] ?? '']);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
};

/** @type {Readonly<Record<string, unknown>>} */
const blanks = { number: 0, integer: 0, boolean: false, array: [], object: {} };
