# The course, ready to open: for Binder, JupyterHub, Codespaces, and `docker run -p 8888:8888`.
FROM python:3.12-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/*

# Binder and JupyterHub say whose it shall be; neither starts it as root.
ARG NB_USER=learner
ARG NB_UID=1000
ENV USER=${NB_USER} HOME=/home/${NB_USER}
RUN adduser --disabled-password --gecos "" --uid ${NB_UID} ${NB_USER}
WORKDIR ${HOME}/gpt-from-scratch
RUN chown ${NB_USER} .
USER ${NB_USER}

ENV VIRTUAL_ENV=${HOME}/venv
ENV PATH=${VIRTUAL_ENV}/bin:${PATH} PIP_NO_CACHE_DIR=1
# torch without CUDA: 1.7 GB in place of 5.8
ENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
# What the course needs changes seldom: a change of the course alone begins below, at its own files.
COPY --chown=${NB_UID} pyproject.toml requirements.txt constraints.txt README.md LICENSE ./
RUN python -m venv ${VIRTUAL_ENV} \
    && pip install --constraint constraints.txt ".[image]"
COPY --chown=${NB_UID} . .
RUN pip install --no-deps --editable . && cp -r utils/learner/lab/etc/. ${VIRTUAL_ENV}/etc/jupyter/

EXPOSE 8888
CMD ["python", "-m", "utils.learner.lab", "--ip=0.0.0.0", "--no-browser"]
