import { expect, test } from 'vitest';
import { closest } from '../../src/core/closest.ts';

const words = ['two-step', 'approve', 'both', 'caller-id', 'strong', 'no', '--mode', '--model', 'GET'];

test.each([
  ['two_step', 'two-step'],
  ['twoStep', 'two-step'],
  ['two-setp', 'two-step'],
  ['TWO-STEP', 'two-step'],
  ['Both', 'both'],
  ['boht', 'both'],
  ['approved', 'approve'],
  ['arpprove', 'approve'],
  ['caller_id', 'caller-id'],
  ['Strong', 'strong'],
  ['stornG', 'strong'],
  ['--modle', '--model'],
  ['on', 'no'],
  ['get', 'GET'],
])('who types %s means %s', (typed, meant) => {
  expect(closest(typed, words)).toBe(meant);
});

test.each(['', 'maybe', 'verified', 'true', 'payments'])('%j is near no word', (typed) => {
  expect(closest(typed, words)).toBeUndefined();
});
