/** Gives back what falls due first; of what is due at the same moment, what came first. */
export interface DueHeap<T> {
  push(at: number, item: T): void;
  peek(): { readonly at: number; readonly item: T } | undefined;
  pop(): void;
}

/** A binary heap. An item that was removed elsewhere stays here; skip it when it comes up. */
export const createDueHeap = <T>(): DueHeap<T> => {
  const nodes: { readonly at: number; readonly order: number; readonly item: T }[] = [];
  let order = 0;

  const isBefore = (a: number, b: number) => {
    const [first, second] = [nodes[a], nodes[b]];
    return first !== undefined && second !== undefined && (first.at - second.at || first.order - second.order) < 0;
  };

  const swap = (a: number, b: number) => {
    const [first, second] = [nodes[a], nodes[b]];
    if (!first || !second) return;
    nodes[a] = second;
    nodes[b] = first;
  };

  return {
    push: (at, item) => {
      order += 1;
      let place = nodes.push({ at, order, item }) - 1;
      for (let parent = (place - 1) >> 1; place > 0 && isBefore(place, parent); parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    peek: () => nodes[0],
    pop: () => {
      swap(0, nodes.length - 1);
      nodes.pop();
      for (let place = 0; ; ) {
        const left = 2 * place + 1;
        const least = isBefore(left + 1, left) ? left + 1 : left;
        if (!isBefore(least, place)) return;
        swap(least, place);
        place = least;
      }
    },
  };
};
