// Plays the run on the first page, event by event, until the reader stops it.
const SVG = "http://www.w3.org/2000/svg", PAUSE = 1400, REST = 4500;

function play(live) {
  const button = live.querySelector("button"), moment = live.querySelector(".moment");
  const pictures = [...live.querySelectorAll(".drawn")].map(box => {
    const svg = box.querySelector("svg"), veil = document.createElementNS(SVG, "rect");
    veil.setAttribute("class", "veil");
    veil.setAttribute("width", "100%");
    svg.append(veil);
    return { svg, veil, ends: box.dataset.ends.split(" ").map(Number), words: box.dataset.words.split("|") };
  });
  const count = pictures[0].ends.length;
  let step = count, timer = 0;
  const show = () => {
    for (const { svg, veil, ends } of pictures) {
      const height = svg.viewBox.baseVal.height, top = ends[step - 1];
      veil.setAttribute("y", top);
      veil.setAttribute("height", step < count ? Math.max(0, height - top) : 0);
    }
    moment.textContent = pictures[0].words[step - 1];
  };
  const on = () => {
    step = step % count + 1;
    show();
    timer = setTimeout(on, step === count ? REST : PAUSE);
  };
  const turn = plays => {
    clearTimeout(timer);
    button.textContent = plays ? "Pause" : "Play";
    if (plays) on();
    else {
      step = count;
      show();
    }
  };
  button.hidden = false;
  let plays = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  button.addEventListener("click", () => turn(plays = !plays));
  turn(plays);
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".live").forEach(play));
