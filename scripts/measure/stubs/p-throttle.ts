/** p-throttle without a pace. */
export default () =>
  <Run>(run: Run): Run =>
    run;
