import { describe, expect, it } from 'vitest';
import { clip, describeCall } from '../../../src/phone-call/steps/describe-call.ts';

describe('describeCall', () => {
  it('puts the link first, then the summary, then the transcript', () => {
    expect(
      describeCall({ transcript: 'Hello.', summary: 'Said hello.', transcriptUrl: 'https://calls.example/CA1' }),
    ).toBe('Transcript: https://calls.example/CA1\n\nSaid hello.\n\nHello.');
  });

  it('leaves out what is not there', () => {
    expect(describeCall({ summary: 'Said hello.', transcript: '  ' })).toBe('Said hello.');
    expect(describeCall({})).toBe('');
  });

  it('cuts a long transcript, keeps link and summary, and says how much is missing', () => {
    const text = describeCall(
      { transcript: 'a'.repeat(40_000), summary: 'Long.', transcriptUrl: 'https://calls.example/CA1' },
      100,
    );
    expect(text).toBe(
      `Transcript: https://calls.example/CA1\n\nLong.\n\n${'a'.repeat(21)}\n[clipped: 39979 more characters]`,
    );
    expect(text).toHaveLength(100);
  });

  it('masks a card number that was spoken, also when the cut goes through it', () => {
    const spoken = `My card is 4242 4242 4242 4242. ${'Yes. '.repeat(100)}`;
    for (let limit = 40; limit < 90; limit += 1) {
      expect(describeCall({ transcript: spoken }, limit)).not.toMatch(/4242 4242/);
    }
    expect(describeCall({ summary: 'Card 4242424242424242', transcript: spoken })).not.toMatch(/4242 ?4242 ?4242/);
  });

  it('leaves the digits of the link alone', () => {
    const transcriptUrl = 'https://calls.example/4242424242424242';
    expect(describeCall({ transcriptUrl })).toBe(`Transcript: ${transcriptUrl}`);
  });
});

describe('clip', () => {
  it('never cuts through a character outside the basic plane', () => {
    const text = '😀'.repeat(60);
    for (let limit = 30; limit < 110; limit += 1) {
      const cut = clip(text, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(cut.isWellFormed()).toBe(true);
    }
  });

  it('keeps to a limit that is shorter than the mark', () => {
    expect(clip('a'.repeat(100), 5)).toBe('\n[cli');
  });
});
