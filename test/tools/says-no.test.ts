import { expect, test } from 'vitest';
import { saysNo } from '../../src/tools/says-no.ts';

test.each([
  'No.',
  'No, please do not.',
  'Nope',
  'No thanks',
  'Hmm, um, no',
  'Actually, no',
  'Yes. No wait, stop.',
  'I don’t want that',
  'Not now',
  'Absolutely not.',
  'Sure not',
  'I said no.',
  'Forget it.',
  'Better not.',
  'No way',
  'I’m not sure',
  'Let me think about it.',
  'Maybe later',
  'Vielleicht später',
  'Laissez tomber',
  'Peut-être',
  'Olvídalo',
  'Forse più tardi',
  'Laat maar',
  'Never mind',
  'November instead',
  'Okay, hold on',
  'Nein danke',
  'Nein, lieber nicht',
  'Das will ich nicht',
  'Non merci',
  'Je ne veux pas',
  'No, gracias',
  'Mejor no',
  'No, grazie',
  'Não',
  'Na\u0303o',
  'Nee, liever niet',
  'Nej tack',
  'Nie, dziękuję',
  'нет',
])('%j is a no', (words) => {
  expect(saysNo(words)).toBe(true);
});

test.each([
  'Yes, please.',
  'No problem, go ahead',
  'No worries, yes',
  'Why not',
  'That’s not a problem. Go on.',
  'Absolutely!',
  'The one for October',
  'And how much is it?',
  'I don’t mind, sure',
  'No. Okay, go ahead.',
  'What is the invoice no. 5?',
  'Is that the one from October?',
  'The Visa card',
  'Ja bitte',
  'Kein Problem',
  'Warum nicht',
  'D’accord',
  'Pas de problème',
  'Sí, no hay problema',
  'Va bene, nessun problema',
  'Geen probleem',
  '',
  '👍',
])('%j is none', (words) => {
  expect(saysNo(words)).toBe(false);
});

test('takes no longer for a long answer than for its first 2,000 characters', () => {
  expect(saysNo(`${'and '.repeat(500)}no`)).toBe(false);
  expect(saysNo(`no ${'and '.repeat(100_000)}`)).toBe(true);
});
