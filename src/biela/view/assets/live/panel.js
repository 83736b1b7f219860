// The controls: a slider, switch or choice for everything that can be changed, under their headings.

import { made, number } from "../player/plot.js";

const MANY = 12; // controls that are seen at first; groups beyond are closed

export class Panel {
  constructor(place, controls, changed) {
    this.changed = changed;
    this.rows = new Map();
    const groups = new Map();
    for (const control of controls) groups.set(control.group, [...(groups.get(control.group) || []), control]);
    let seen = 0;
    for (const [group, members] of groups) {
      const box = made("details", "group", place);
      made("summary", "", box).textContent = group || "controls";
      seen += members.length;
      box.open = seen <= MANY || groups.size === 1;
      for (const control of members) this.rows.set(control.name, this.row(control, box));
    }
    place.hidden = !controls.length;
  }

  row(control, box) {
    const label = made("label", `control ${control.kind}`, box);
    label.title = [control.name, control.told].filter(Boolean).join(": ");
    made("span", "name", label).textContent = control.name;
    const parts = { slider, switch: toggle, choice }[control.kind](control, label);
    const row = { ...parts, control, pressed: false };
    row.input.name = control.name;
    row.input.oninput = () => {
      row.pressed = true;
      this.changed(control.name, row.read());
      row.show(row.read());
    };
    for (const name of ["change", "pointerup", "blur"]) row.input.addEventListener(name, () => { row.pressed = false; });
    row.input.addEventListener("pointerup", () => row.input.blur()); // keys drive again
    row.input.addEventListener("keydown", (e) => e.stopPropagation()); // those that move a slider move nothing else
    label.ondblclick = () => this.changed(control.name, control.value);
    row.show(control.value);
    return row;
  }

  // What the source says; what somebody is moving here stays where it is.
  show(values) {
    for (const [name, value] of Object.entries(values)) {
      const row = this.rows.get(name);
      if (row && !row.pressed) row.show(value);
    }
  }
}

function slider({ low, high, unit }, label) {
  const told = made("output", "", label);
  const input = made("input", "", label);
  input.type = "range";
  [input.min, input.max, input.step] = [low, high, "any"];
  const show = (value) => {
    input.value = value;
    told.textContent = `${number(value)}${unit ? ` ${unit}` : ""}`;
  };
  return { input, show, read: () => Math.min(high, Math.max(low, Number(input.value))) };
}

function toggle(_, label) {
  const input = made("input", "", label);
  input.type = "checkbox";
  return { input, show: (value) => { input.checked = value > 0; }, read: () => Number(input.checked) };
}

function choice({ choices }, label) {
  const input = made("select", "", label);
  choices.forEach((name, k) => {
    const option = made("option", "", input);
    [option.value, option.textContent] = [k, name];
  });
  return { input, show: (value) => { input.value = value; }, read: () => Number(input.value) };
}
