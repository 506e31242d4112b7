import { describe, expect, test } from 'vitest';
import { maskCardNumbers, maskCardNumbersOver } from '../../../src/observability/redaction/card-numbers.ts';
import fc from '../../support/fast-check.ts';

const turns =
  (first: string, second: string, between: string) => (digits: readonly string[], answers: readonly string[]) =>
    digits
      .map((digit, index) => `${first}${digit}${answers[index] ? `${between}${second}${answers[index]}` : ''}`)
      .join(between);

const fours = ['4242', '4242', '4242', '4242'];
const answers = ['yes', 'go on please', 'and the last four digits?'];

describe('masks a card that is dictated', () => {
  test.each([
    // Other words and marks between the groups.
    '4242 um 4242 uh 4242 4242',
    '4242 4242 and 4242 4242',
    '4242 hm 4242 sorry wait a second 4242 okay 4242',
    '4242 then 4242 then finally 4242 and the last four are 4242',
    '4242 4242 4242 (hold on, let me turn it over) 4242',
    '4242, dash, 4242, dash, 4242, dash, 4242',
    'My Visa: 4 2 4 2, 4 2 4 2. 4 2 4 2, 4 2 4 2.',
    'It is 5555 5555. Sorry. 5555 4444.',
    '<speak>4242 <break time="1s"/> 4242 <break/> 4242 4242</speak>',
    '4242 [inaudible] 4242 [pause] 4242 4242',
    'My card is 4242 4242. Then 4242 4242.',
    'The first half is 4242 4242. The second half is 4242 4242.',
    '424 242 um 424 242 uh 4242',
    'forty-two forty-two, then forty-two forty-two, um forty-two forty-two and forty-two forty-two',
    'four two four two oh sorry four two four two four two four two four two four two',
    '3782 and 822463 and 10005',
    ...[
      '…',
      '? ',
      '; ',
      ' | ',
      ':',
      '*',
      '#',
      '~',
      '\\',
      ' = ',
      ' → ',
      ' 😀 ',
      '" "',
      "', '",
      '] [',
      ') (',
      '} {',
      '</b> <b>',
      '&nbsp;',
    ].map((mark) => fours.join(mark)),
    '4️⃣2️⃣4️⃣2️⃣ 4️⃣2️⃣4️⃣2️⃣ 4️⃣2️⃣4️⃣2️⃣ 4️⃣2️⃣4️⃣2️⃣',
    // The same in other languages.
    'vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei',
    'vier zwo vier zwo ähm vier zwo vier zwo und dann vier zwo vier zwo äh vier zwo vier zwo',
    Array.from({ length: 8 }, () => 'zweiundvierzig').join(' '),
    'fünf fünf fünf fünf, doppelt fünf fünf fünf, dreimal die fünf fünf, vier vier vier vier',
    'quatre deux quatre deux, quatre deux quatre deux, euh, quatre deux quatre deux, quatre deux quatre deux',
    Array.from({ length: 8 }, () => 'quarante-deux').join(' '),
    'quarante-neuf quatre-vingt-dix-sept quatre-vingt-un quatre-vingt-dix-neuf soixante-douze soixante et onze quatre-vingts zéro un',
    'cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos',
    Array.from({ length: 8 }, () => 'cuarenta y dos').join(', '),
    'quattro due quattro due e quattro due quattro due quattro due quattro due quattro due quattro due',
    Array.from({ length: 8 }, () => 'quarantadue').join(' '),
    Array.from({ length: 8 }, () => 'quarenta e dois').join(', '),
    Array.from({ length: 8 }, () => 'tweeënveertig').join(' '),
    Array.from({ length: 8 }, () => 'czterdzieści dwa').join(' '),
    Array.from({ length: 8 }, () => 'сорок два').join(' '),
    'четыре два четыре два ну четыре два четыре два э четыре два четыре два четыре два четыре два',
    'fyra två fyra två fyra två fyra två fyra två fyra två fyra två fyra två',
    'dört iki dört iki dört iki dört iki dört iki dört iki dört iki dört iki',
    // Digits that are repeated.
    'five triple five, quadruple five, double five double five, four four double four',
    // Over the turns of a transcript.
    turns('caller: ', 'agent: ', ' / ')(fours, answers),
    turns('Caller: ', 'Agent: ', '\n')(fours, answers),
    turns('- **Caller:** ', '- **Agent:** ', '\n')(fours, answers),
    turns('<Caller> ', '<Agent> ', ' ')(fours, answers),
    turns('Caller: ', 'Agent: ', ' ')(fours, answers),
    turns('SPEAKER_00: ', 'SPEAKER_01: ', '\n')(fours, answers),
    turns('Speaker 1: ', 'Speaker 2: ', '\r\n')(['4242 4242', '4242 4242'], ['Okay, the next eight please.']),
    turns('[00:01:12] Ada: ', '[00:01:14] Bob: ', '\n')(fours, answers),
    turns('Ada Lovelace  0:05\n', 'Bob Smith  0:09\n', '\n')(fours, answers),
    turns('Kunde: ', 'Agent: ', '\n')(fours, ['4242, und weiter?', 'ja', 'und die letzten vier?']),
    turns(
      'user: ',
      'bot: ',
      '\n',
    )(['it is four two four two', 'four two four two', 'four two four two', 'four two four two'], answers),
    turns('caller: ', 'agent: ', '\n')(['3782', '822463', '10005'], ['thanks, go on', 'and the rest?']),
    turns('', '', '\n')(fours, ['yes', 'and the next four?', 'ok']),
    '1\n00:00:01,000 --> 00:00:04,000\n4242\n\n2\n00:00:05,000 --> 00:00:06,000\n4242\n\n3\n00:00:07,000 --> 00:00:08,000\n4242 4242\n',
    '{"role":"user","content":"4242 4242"},{"role":"assistant","content":"Thank you, and the rest?"},{"role":"user","content":"4242 4242"}',
    // An agent repeats each group.
    turns(
      'Caller: ',
      'Agent: ',
      '\n',
    )(['4111', '1111', '1111', '1111'], ['4111, okay', '1111', '1111, and then?', '1111, thanks']),
    turns(
      'caller: ',
      'agent: ',
      ' / ',
    )(['42 42', '42 42', '42 42', '42 42'], ['42 42, got it, next please', '42 42', '42 42', '42 42']),
  ])('%j', (text) => {
    const masked = maskCardNumbers(text);
    const stars = (words: string) => words.split('*').length - 1;

    expect(stars(masked) - stars(text)).toBeGreaterThanOrEqual(11);
    expect(maskCardNumbers(masked)).toBe(masked);
  });
});

test.each([
  [
    ['4242', '4242', '4242', '4242'],
    ['****', '****', '****', '4242'],
  ],
  [
    ['my card is 4242 4242', 'yes', 'and 4242 4242'],
    ['my card is **** ****', 'yes', 'and **** 4242'],
  ],
  [
    ['user', '4111', 'bot', '4111, ok', 'user', '1111 1111', 'bot', 'go on', 'user', '1111'],
    ['user', '****', 'bot', '****, ok', 'user', '**** ****', 'bot', 'go on', 'user', '1111'],
  ],
  [
    ['415 555 0100', 'invoice 4711'],
    ['415 555 0100', 'invoice 4711'],
  ],
  [
    ['4242', '4242 4242 4242 4242'],
    ['4242', '**** **** **** 4242'],
  ],
  [['4242424242424242'], ['************4242']],
  [[], []],
])('the texts %j of a list become %j', (texts, masked) => {
  expect(maskCardNumbersOver(texts)).toEqual(masked);
});

describe('masks the security code of a card', () => {
  test.each([
    ['card 4242 4242 4242 4242 cvv 123', 'card **** **** **** 4242 cvv ***'],
    ['4242424242424242, CVC is 737', '************4242, CVC is ***'],
    ['4242 4242 4242 4242, security code one two three', '**** **** **** 4242, security code * * *'],
    ['4242 4242 4242 4242 12/27 123', '**** **** **** 4242 12/27 ***'],
    [
      '4242 4242 4242 4242, expires 12 27 and the code is 123',
      '**** **** **** 4242, expires 12 27 and the code is ***',
    ],
    ['4242424242424242|12|2027|123', '************4242|12|2027|***'],
    ['4242 4242 4242 4242 123', '**** **** **** 4242 ***'],
    ['123 is the cvv of 4242424242424242', '*** is the cvv of ************4242'],
    ['the cvv: 123, card: 4242424242424242', 'the cvv: ***, card: ************4242'],
    [
      'card 4242 4242 4242 4242 expiring December 2027, code 123',
      'card **** **** **** 4242 expiring December 2027, code ***',
    ],
    ['die drei Ziffern hinten auf der Karte sind 1 2 3', 'die drei Ziffern hinten auf der Karte sind * * *'],
    ['le cryptogramme c’est 123', 'le cryptogramme c’est ***'],
    ['le code au dos de la carte est 123', 'le code au dos de la carte est ***'],
    ['cvv (123)', 'cvv (***)'],
    ['123 (cvv)', '*** (cvv)'],
    ['CVV2: 123', 'CVV2: ***'],
    ['c v v one two three', 'c v v * * *'],
    ['cvv double four two', 'cvv ** *'],
    ['the cvv number is seven thirty-seven', 'the cvv number is * **'],
    ['card ending 4242, CVV 987', 'card ending 4242, CVV ***'],
    ['**** **** **** 4242, security code 987', '**** **** **** 4242, security code ***'],
    ['my amex 378282246310005 security code is 1234', 'my amex ***********0005 security code is ****'],
    ['the three digits on the back of the card are 123', 'the three digits on the back of the card are ***'],
    [
      'agent: Could I have the CVV?\ncaller: um, it’s 123'.replace('’', ''),
      'agent: Could I have the CVV?\ncaller: um, its ***',
    ],
    [
      'agent: and the security code on the back of your card please?\ncaller: 123',
      'agent: and the security code on the back of your card please?\ncaller: ***',
    ],
    ['Karte 4242 4242 4242 4242, Prüfziffer 123', 'Karte **** **** **** 4242, Prüfziffer ***'],
    ['eins zwei drei ist die Prüfnummer der Karte', '* * * ist die Prüfnummer der Karte'],
    ['Der CVV lautet eins zwei drei', 'Der CVV lautet * * *'],
    ['tarjeta 4242424242424242 código de seguridad uno dos tres', 'tarjeta ************4242 código de seguridad * * *'],
    ['carte 4242424242424242, cryptogramme visuel 123', 'carte ************4242, cryptogramme visuel ***'],
    ['code de sécurité de ma carte : un deux trois', 'code de sécurité de ma carte : * * *'],
    ['codice di sicurezza della carta: uno due tre', 'codice di sicurezza della carta: * * *'],
    ['código de segurança do cartão: um dois três', 'código de segurança do cartão: * * *'],
    ['beveiligingscode van de kaart is een twee drie', 'beveiligingscode van de kaart is * * *'],
    ['код безопасности карты один два три', 'код безопасности карты * * *'],
  ])('%j', (text, masked) => {
    expect(maskCardNumbers(text)).toBe(masked);
    expect(maskCardNumbers(masked)).toBe(masked);
  });
});

describe('leaves alone', () => {
  test.each([
    'call 415-555-0100 and then 415-555-0101',
    'invoice 4711, invoice 4712, invoice 4713 and invoice 4714',
    'amounts: 4100.50 and 4200.50 and 4300.50 and 4400.50',
    'It is 4500 euros, 5100 euros, 4400 euros, and 5300 euros',
    'I have 2 cats, 3 dogs, 4 birds and 5 fish, and 6 mice',
    'rooms 4 and 5 and 6 and 7 and 8 and 9',
    'meet at 10:15 or 11:30 or 12:45 on 2026-11-21',
    'the security code of the door is 4711',
    'the verification code is 123456',
    'one moment, one of the two for four people; sixteen of them, one at a time',
    'Caller: I need invoice 4711\nAgent: it is 120 euros 50, due 24.12.2026\nCaller: my number is 415 555 0100\nAgent: thank you',
    'Agent: that is 415 555 0100?\nCaller: yes, extension 4243',
    'paid 500 EUR, cvv check passed for invoice 123',
    'the cvv is wrong. Invoice 123 is open',
    'Une facture de quarante-deux euros et une autre de trente-deux euros, pour un total de soixante-quatorze euros',
    'Tengo una factura de 120 y otra de 340, y la de 2024 de 5600, y una más de 4100',
    'vierzehn Tage, zwei Wochen, ein Monat und ein Jahr',
    '[00:04:24] Ada: hello\n[00:04:25] Bob: hello\n[00:04:29] Ada: bye\n[00:05:12] Bob: bye',
  ])('%j', (text) => {
    expect(maskCardNumbers(text)).toBe(text);
  });

  test('an amount after a card', () => {
    expect(maskCardNumbers('4242424242424242 for 120 euros')).toBe('************4242 for 120 euros');
    expect(maskCardNumbers('4242424242424242, 120 euros')).toBe('************4242, 120 euros');
  });
});

/** Numbers as callers and agents say them: none is a card, though by chance one in ten passes Luhn. */
const said = (() => {
  const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  const digits = (length: number) =>
    fc
      .array(fc.nat(9), { minLength: length, maxLength: length })
      .map(([first = 0, ...others]) => [first || 7, ...others].join(''));
  const spelled = (length: number) =>
    digits(length).map((all) => Array.from(all, (one) => names[Number(one)]).join(' '));
  const phone = fc.tuple(digits(3), digits(3), digits(4));
  return fc.oneof(
    phone.map((parts) => `my number is ${parts.join(' ')}`),
    phone.map((parts) => `call ${parts.join('-')}`),
    digits(10).map((all) => `it's +49 ${all}`),
    spelled(10),
    digits(8).map((all) => `invoice number ${all}`),
    digits(6).map((all) => `order ${all}`),
    digits(4).map((all) => `the code is ${all}`),
    digits(5).map((all) => `the ZIP is ${all}`),
    spelled(6).map((all) => `the reference is ${all}`),
    fc.tuple(digits(4), digits(2)).map((parts) => `$${parts.join('.')}`),
    digits(3).map((all) => `${all} euros`),
    fc
      .tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 1, max: 12 }))
      .map((parts) => `on ${parts.join('.')}.2026`),
    fc.integer({ min: 10, max: 59 }).map((minute) => `at 9:${minute}`),
    fc.constantFrom('yes', 'um ok', 'one moment please', 'and the last one?', 'thank you', 'no, go on'),
  );
})();

test('of a thousand transcripts full of other numbers, at most five lose one', () => {
  let masked = 0;
  fc.assert(
    fc.property(
      fc.array(said, { minLength: 6, maxLength: 24 }),
      fc.constantFrom(['Caller: ', 'Agent: '], ['Speaker 1: ', 'Speaker 2: '], ['', '']),
      fc.constantFrom('\n', '. ', ' / '),
      (sentences, labels, between) => {
        const text = sentences.map((sentence, index) => `${labels[index % 2]}${sentence}`).join(between);
        if (maskCardNumbers(text) !== text) masked += 1;
      },
    ),
    { numRuns: 1_000 },
  );

  expect(masked).toBeLessThanOrEqual(5);
});

test.each([
  ['turns', 'caller: 4243\nagent: yes\n'.repeat(20_000)],
  ['labels', 'a b c d: '.repeat(50_000)],
  ['brackets', '[[[['.repeat(100_000)],
  ['words for codes', 'cvv 1 '.repeat(80_000)],
  ['number words', 'quatre vingt '.repeat(40_000)],
  ['letters and hyphens', `${'a-'.repeat(200_000)}4242424242424243`],
  ['spaces', `${' '.repeat(500_000)}4242424242424243`],
])(
  'half a million characters of %s end',
  (_what, text) => {
    expect(maskCardNumbers(text).replaceAll('*', '')).not.toBe('');
  },
  30_000,
);

describe('masks a card of which each four is said in its own way', () => {
  const languages = {
    English: {
      digits: 'zero one two three four five six seven eight nine',
      says: 'um|let me see|and then|hm|okay',
      answers: 'yes|go on|got it',
      card: 'My card is ',
    },
    German: {
      digits: 'null eins zwei drei vier fünf sechs sieben acht neun',
      says: 'äh|Moment|und dann|weiter|warte',
      answers: 'ja|und weiter?|genau',
      card: 'Meine Karte ist ',
    },
    French: {
      digits: 'zéro un deux trois quatre cinq six sept huit neuf',
      says: 'euh|attendez|et puis|ensuite|voilà',
      answers: 'oui|très bien|et après ?',
      card: 'Ma carte est ',
    },
    Spanish: {
      digits: 'cero uno dos tres cuatro cinco seis siete ocho nueve',
      says: 'eh|a ver|y luego|pues|espere',
      answers: 'sí|siga|de acuerdo',
      card: 'Mi tarjeta es ',
    },
    Italian: {
      digits: 'zero uno due tre quattro cinque sei sette otto nove',
      says: 'ehm|aspetti|e poi|allora|ecco',
      answers: 'sì|va bene|e poi?',
      card: 'La mia carta è ',
    },
    Portuguese: {
      digits: 'zero um dois três quatro cinco seis sete oito nove',
      says: 'hum|espera|e depois|então|bom',
      answers: 'sim|certo|e depois?',
      card: 'O meu cartão é ',
    },
    Dutch: {
      digits: 'nul een twee drie vier vijf zes zeven acht negen',
      says: 'eh|even kijken|en dan|nou|wacht',
      answers: 'ja|prima|en dan?',
      card: 'Mijn kaart is ',
    },
    Polish: {
      digits: 'zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć',
      says: 'yyy|chwila|a potem|dalej|następnie',
      answers: 'tak|proszę|i dalej?',
      card: 'Moja karta to ',
    },
    Russian: {
      digits: 'ноль один два три четыре пять шесть семь восемь девять',
      says: 'э|сейчас|а потом|дальше|затем',
      answers: 'да|хорошо|слушаю',
      card: 'Моя карта ',
    },
  };

  const ways: readonly ((four: string, words: readonly string[]) => string)[] = [
    (four) => four,
    (four) => four.split('').join(' '),
    (four) => `${four.slice(0, 2)} ${four.slice(2)}`,
    ...[' ', ', ', '-', '... '].map(
      (between) => (four: string, words: readonly string[]) =>
        Array.from(four, (one) => words[Number(one)]).join(between),
    ),
  ];
  const cards = ['4000056655665556', '5555555555554444', '4012888888881881', '6011000990139424', '5200828282828210'];

  test.each(Object.entries(languages))('in %s', (_name, { digits, says, answers, card }) => {
    const words = digits.split(' ');
    const spoken = fc.tuple(fc.constantFrom(...says.split('|')), fc.constantFrom(...answers.split('|')));
    const said = fc.record({
      number: fc.constantFrom(...cards),
      how: fc.array(fc.constantFrom(...ways), { minLength: 4, maxLength: 4 }),
      pause: fc.oneof(
        fc.constantFrom(', ', '. ', '\n', ' / '),
        spoken.chain(([filler, answer]) =>
          fc.constantFrom(
            ` ${filler} `,
            `, ${filler}, `,
            `. ${filler}. `,
            `\nagent: ${answer}\ncaller: ${filler}, `,
            `\nagent: ${answer}\ncaller: `,
          ),
        ),
      ),
    });
    fc.assert(
      fc.property(said, ({ number, how, pause }) => {
        const fours = number.match(/.{4}/g) ?? [];
        const text = `caller: ${card}${fours.map((four, index) => how[index]?.(four, words)).join(pause)}`;
        expect(maskCardNumbers(text).split('*').length - 1, text).toBe(12);
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  '653\t38\t3941\n34\t50\t3342',
  'I have 300, then 4 and 41, and 3 and 34, and 503 and 3342.',
  '55 on 12.05.2024, 1111 and 1111, 4444.',
  'You owe 4000.05, 665.5, 66.55 and 56.',
])('leaves %j', (text) => {
  expect(maskCardNumbers(text)).toBe(text);
});
