// Short tones made by the browser itself; no file is played. Sound is off until somebody switches it on.

const store = "castellan-sound";
const tones = {
  move: [[330, 0.05]],
  capture: [[220, 0.05], [165, 0.07]],
  check: [[440, 0.06], [587, 0.09]],
  end: [[392, 0.12], [330, 0.12], [262, 0.22]],
  start: [[262, 0.08], [392, 0.12]],
};

export class Sound {
  constructor(button) {
    this.on = false;
    try {
      this.on = localStorage.getItem(store) === "on";
    } catch {
      // a browser that keeps nothing
    }
    const show = () => button.setAttribute("aria-pressed", String(this.on));
    show();
    button.addEventListener("click", () => {
      this.on = !this.on;
      show();
      try {
        localStorage.setItem(store, this.on ? "on" : "off");
      } catch {
        // it stays so until the page is left
      }
      this.play("move");
    });
  }

  play(name) {
    if (!this.on) return;
    this.context ??= new AudioContext();
    this.context.resume();
    let at = this.context.currentTime + 0.01;
    for (const [pitch, length] of tones[name]) {
      const tone = this.context.createOscillator();
      const volume = this.context.createGain();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.18, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + length);
      tone.connect(volume).connect(this.context.destination);
      tone.start(at);
      tone.stop(at + length);
      at += length * 0.8;
    }
  }
}
