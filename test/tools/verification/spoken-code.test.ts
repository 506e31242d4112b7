import { describe, expect, test } from 'vitest';
import { maskCode, maskCodesOfLength, maskWords, readSpokenCode } from '../../../src/tools/verification/spoken-code.ts';

describe('a code as people say it', () => {
  test.each([
    ['472209', '472209'],
    ['four seven double two oh nine', '472209'],
    ['Four, seven - double two. Oh nine!'.replace('!', '.'), '472209'],
    ['47 22 09', '472209'],
    ['47-22-09', '472209'],
    ['forty-seven twenty-two oh nine', '472209'],
    ['472 oh nine 1', '472091'],
    ['triple oh seven one two', '000712'],
    ['one and then two and three four', '1234'],
    ['vier sieben doppel zwei null neun', '472209'],
    ['siebenundvierzig zweiundzwanzig null neun', '472209'],
    ['quatre sept vingt-deux zéro neuf', '472209'],
    ['cuatro siete doble dos cero nueve', '472209'],
    ['quattro sette due due zero nove', '472209'],
    ['quatro sete dois dois zero um', '472201'],
    ['vier zeven twee twee nul negen', '472209'],
    ['cztery siedem dwa dwa zero dziewięć', '472209'],
    ['четыре семь два два ноль девять', '472209'],
    ['٤٧٢٢٠٩', '472209'],
    ['４７２２０９', '472209'],
  ])('%j is %s', (said, code) => {
    expect(readSpokenCode(said)).toBe(code);
  });

  test.each([
    'four seven, no, four eight two two',
    'four seven sorry two',
    'I don’t have it',
    'is it 4722?',
    'um four seven two two',
    '4722 or 4723',
    '4 + 7',
  ])('%j isn’t one: which digits are meant isn’t certain', (said) => {
    expect(readSpokenCode(said)).toBeUndefined();
  });
});

describe('what is written down', () => {
  test.each([
    ['Caller: It is four seven double two oh nine.', 'Caller: It is * * ** * *.'],
    ['Caller: 472209', 'Caller: ******'],
    ['Caller: 47 22, and then 09.', 'Caller: ** **, and then **.'],
    ['Caller: 472\nAgent: Go on.\nCaller: 2 oh nine', 'Caller: ***\nAgent: Go on.\nCaller: * * *'],
    [
      'Caller: four seven two\nAgent: four seven two?\nCaller: two zero nine',
      'Caller: * * *\nAgent: * * *?\nCaller: * * *',
    ],
    ['The invoice is 472208 and costs 4722.09.', 'The invoice is 472208 and costs ****.**.'],
    ['Nothing is here, not even one.', 'Nothing is here, not even one.'],
  ])('%j has no code', (text, masked) => {
    expect(maskCode(text, '472209')).toBe(masked);
  });

  test('a code that another process got is known by its length', () => {
    expect(maskCodesOfLength('Caller: 47 22 09. I owe 120.50 since 2026, order 12345678.', 6)).toBe(
      'Caller: ** ** **. I owe 120.50 since 2026, order 12345678.',
    );
  });

  test.each([
    ['I was born in Lower  Saxony, I said.', 'lower saxony', 'I was born in ***, I said.'],
    ['Saxony-Anhalt', 'Saxony Anhalt', '***'],
    ['No, not Saxonyish.', 'saxony', 'No, not Saxonyish.'],
    ['It is (a.b)*.', '(a.b)*', 'It is (a.b)*.'],
  ])('%j hides the answer %j', (text, answer, masked) => {
    expect(maskWords(text, answer)).toBe(masked);
  });

  test('a long text takes linear time', () => {
    const long = 'four seven two two zero eight '.repeat(20_000);
    const started = performance.now();

    expect(maskCode(long, '472209')).toBe(long);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
